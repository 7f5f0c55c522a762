// SPDX-License-Identifier: Apache-2.0
#include "backends/host/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "backends/cache_entry.hpp"
#include "backends/environment_fault.hpp"
#include "backends/host/embedded.hpp"
#include "kernels/catalog.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::string key_of(const Compiler& compiler, std::string_view source,
                                 std::span<const Define> defines) {
  std::vector<std::string> parts = {std::string(source), compiler.version, compiler.identity};
  parts.insert(parts.end(), compiler.command.begin(), compiler.command.end());
  parts.insert(parts.end(), compiler.flags.begin(), compiler.flags.end());
  for (const Define& define : defines)
    parts.push_back(fmt::format("{}={}", define.name, define.value));
  return content_key(parts);
}

}  // namespace

std::string_view software_half() { return half_h; }

std::string program_source(std::string_view kernel_text, std::string_view half) {
  const std::vector<std::string> names = kernels::entries(kernel_text);
  std::string text = fmt::format(
      "#line 1 \"item_abi.h\"\n{}\n#line 1 \"dialect.h\"\n{}\n#line 1 \"half.h\"\n{}\n"
      "#line 1 \"dialect_faults.h\"\n{}\n#line 1 \"stubs.h\"\n{}\n",
      item_abi_h, dialect_h, half, dialect_faults_h, stubs_h);
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

// Loads from a private file that is removed afterwards, so that nobody can change what was checked.
std::string Module::load(const ImageCache& cache, const std::string& image, std::string_view key) {
  const ScratchFolder folder = cache.scratch();
  const fs::path file = folder.path() / "image.so";
  write_file(file, image, kFolderRemedy);
  library_.reset(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library_ == nullptr) return dlerror();
  program_ = static_cast<const hm_host_program*>(dlsym(library_.get(), "hm_host_program_v1"));
  if (program_ == nullptr || key != program_->key) return "it is not what was compiled";
  image_.resize(image.size());
  std::memcpy(image_.data(), image.data(), image.size());
  return {};
}

Module Module::build(const Compiler& compiler, const ImageCache& cache,
                     std::string_view kernel_text, std::span<const Define> defines,
                     std::string_view half) {
  const std::string source = program_source(kernel_text, half);
  const std::string key = key_of(compiler, source, defines);
  Module module;
  const std::optional<std::string> known = cache.image_of(key);
  if (known && module.load(cache, *known, key).empty()) return module;
  std::vector<Define> all(defines.begin(), defines.end());
  all.push_back({.name = "HM_HOST_KEY", .value = fmt::format("\"{}\"", key)});
  CompiledText made = compile(compiler, all, source, cache.folder());
  const std::string why = module.load(cache, made.image, key);
  if (!why.empty()) {
    throw EnvironmentFault(fmt::format("what '{}' compiled cannot be loaded: {}; {}",
                                       compiler.command.front(), why, kFolderRemedy));
  }
  cache.keep(key, made.image);
  module.log_ = std::move(made.log);
  return module;
}

std::span<const hm_host_kernel> Module::kernels() const {
  return {program_->kernels, program_->kernel_count};
}

}  // namespace halfmark::backends::host
