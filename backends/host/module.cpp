// SPDX-License-Identifier: Apache-2.0
#include "backends/host/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "backends/host/embedded.hpp"
#include "kernels/catalog.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

// A file that is gone when the scope ends, unless it has been given its final name.
class ScratchFile {
 public:
  explicit ScratchFile(fs::path path) : path_(std::move(path)) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text << std::flush;
  if (!stream)
    throw BackendError("write", 0,
                       fmt::format("cannot write {}; set HALFMARK_CACHE_DIR", path.string()));
}

[[nodiscard]] std::string key_of(const Compiler& compiler, std::string_view source,
                                 std::span<const Define> defines) {
  std::vector<std::string> parts = {std::string(source), compiler.version};
  parts.insert(parts.end(), compiler.command.begin(), compiler.command.end());
  parts.insert(parts.end(), compiler.flags.begin(), compiler.flags.end());
  for (const Define& define : defines)
    parts.push_back(fmt::format("{}={}", define.name, define.value));
  return content_key(parts);
}

std::string compile_into_cache(const Compiler& compiler, const ImageCache& cache,
                               std::string_view source, std::span<const Define> defines,
                               const std::string& key) {
  const ScratchFile text(cache.scratch(key, "cpp"));
  const ScratchFile image(cache.scratch(key, "so"));
  write_text(text.path(), source);
  std::vector<Define> all(defines.begin(), defines.end());
  all.push_back({.name = "HM_HOST_KEY", .value = fmt::format("\"{}\"", key)});
  std::string log = compile(compiler, all, text.path(), image.path());
  fs::rename(image.path(), cache.image_of(key));
  return log;
}

}  // namespace

std::string program_source(std::string_view kernel_text) {
  const std::vector<std::string> names = kernels::entries(kernel_text);
  std::string text = fmt::format(
      "#line 1 \"item_abi.h\"\n{}\n#line 1 \"dialect.h\"\n{}\n#line 1 \"stubs.h\"\n{}\n",
      item_abi_h, dialect_h, stubs_h);
  text += "namespace hm_program {\n";
  for (const std::string& name : names)
    text += fmt::format("static constexpr hm_host_absent {} = {{}};\n", name);
  text +=
      fmt::format("namespace text {{\n#line 1 \"kernel.hk\"\n{}\n#line 1 \"table\"\n", kernel_text);
  text += "static const hm_host_kernel hm_host_kernels[] = {\n";
  for (const std::string& name : names) text += fmt::format("  HM_HOST_ROW({}),\n", name);
  text += "  {nullptr, nullptr, nullptr}};\n}\n}\n";
  text += fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"))) const hm_host_program "
      "hm_host_program_v1 = {{\n"
      "  HM_HOST_KEY, {}, hm_program::text::hm_host_kernels}};\n",
      names.size());
  return text;
}

void Module::Unload::operator()(void* library) const { dlclose(library); }

bool Module::load(const fs::path& file, std::string_view key) {
  library_.reset(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library_ == nullptr) return false;
  program_ = static_cast<const hm_host_program*>(dlsym(library_.get(), "hm_host_program_v1"));
  return program_ != nullptr && key == program_->key;
}

Module Module::build(const Compiler& compiler, const ImageCache& cache,
                     std::string_view kernel_text, std::span<const Define> defines) {
  const std::string source = program_source(kernel_text);
  const std::string key = key_of(compiler, source, defines);
  const fs::path file = cache.image_of(key);
  Module module;
  std::error_code ignored;
  if (!fs::exists(file, ignored) || !module.load(file, key)) {
    module.log_ = compile_into_cache(compiler, cache, source, defines, key);
    if (!module.load(file, key)) {
      const char* why = dlerror();
      throw BackendError(
          "dlopen", 0,
          fmt::format(
              "cannot load {}: {}; set HALFMARK_CACHE_DIR to a directory that allows execution",
              file.string(), why == nullptr ? "wrong key" : why));
    }
  }
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(stream), {});
  module.image_.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(module.image_.data(), bytes.data(), bytes.size());
  return module;
}

std::span<const hm_host_kernel> Module::kernels() const {
  return {program_->kernels, program_->kernel_count};
}

}  // namespace halfmark::backends::host
