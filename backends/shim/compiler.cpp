// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "backends/cache_entry.hpp"
#include "backends/shim/embedded.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSourceLine = "#line 1 \"source\"\n";
constexpr const char* kEmptyKernel = "HM_KERNEL hm_empty(HM_GLOBAL float* x) { (void)x; }\n";

// RAII owner of one program of the compiler.
class Program {
 public:
  Program(const CompilerCalls& calls, const std::string& source, const std::string& name)
      : calls_(calls) {
    check("create", calls_.create(&raw_, source.c_str(), name.c_str(), 0, nullptr, nullptr));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { calls_.destroy(&raw_); }

  void check(const char* call, Status status) const {
    if (status != 0) throw BackendError(call, status, calls_.error_name_of(status));
  }
  [[nodiscard]] Status compile(const std::vector<std::string>& options) const {
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    return calls_.compile(raw_, static_cast<int>(words.size()), words.data());
  }
  [[nodiscard]] std::string log() const {
    std::size_t bytes = 0;
    if (calls_.log_bytes(raw_, &bytes) != 0 || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (calls_.log(raw_, text.data()) != 0) return {};
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }
  [[nodiscard]] std::string image() const {
    std::size_t bytes = 0;
    check("image size", calls_.image_bytes(raw_, &bytes));
    if (bytes == 0) throw BackendError("image", 0, "the compiler made no code for the device");
    std::string image(bytes, '\0');
    check("image", calls_.image(raw_, image.data()));
    return image;
  }

 private:
  const CompilerCalls& calls_;
  void* raw_ = nullptr;
};

}  // namespace

std::string full_text(const Vendor& vendor, const std::string& definitions,
                      const std::string& source) {
  const std::string_view family = vendor.takes_family_words ? family_h : std::string_view();
  return fmt::format(
      "{}#ifndef HM_KERNEL\n#line 1 \"family.h\"\n{}#line 1 \"dialect.h\"\n{}#endif\n"
      "{}{}",
      definitions, family, *vendor.dialect, kSourceLine, source);
}

std::vector<std::string> options_for(const Vendor& vendor, const std::string& architecture,
                                     std::string_view text) {
  const std::size_t source = text.rfind(kSourceLine);
  const bool calls_functions = vendor.functions_contract && source != text.npos &&
                               text.substr(source).find("HM_VENDOR_") != text.npos;
  std::vector<std::string> options{vendor.architectures.option + architecture};
  for (const char* option : vendor.strict_options) {
    if (!calls_functions || option != std::string_view(vendor.no_contraction))
      options.emplace_back(option);
  }
  return options;
}

std::string device_definitions(std::span<const Promise> promises) {
  const auto offers = [&](std::string_view capability) {
    return std::ranges::any_of(promises, [&](const Promise& promise) {
      return promise.offered && promise.capability == capability;
    });
  };
  std::string text;
  if (offers("fp32.divide_sqrt_correctly_rounded")) text += "#define HM_HAS_CR_DIVSQRT 1\n";
  if (offers("fp16.arithmetic")) text += "#define HM_HAS_HALF_ARITH 1\n";
  return text;
}

std::string architecture_for(const Vendor& vendor, const FoundCompiler& found,
                             const std::string& wanted) {
  if (found.architectures.empty()) return wanted;
  const int best = best_capability(found.architectures, capability_of(vendor, wanted));
  return fmt::format("{}{}", vendor.architectures.prefix,
                     best != 0 ? best : std::ranges::max(found.architectures));
}

int capability_of(const Vendor& vendor, const std::string& architecture) {
  const std::string_view prefix = vendor.architectures.prefix;
  if (vendor.architectures.from != Architectures::From::kCapability ||
      !architecture.starts_with(prefix))
    return 0;
  return std::atoi(architecture.c_str() + prefix.size());
}

CompiledText compiled(const Vendor& vendor, const OpenLibrary& library, const std::string& text,
                      const std::string& architecture) {
  CompilerCalls calls{};
  library.bind(vendor.compiler.symbols, &calls);
  const Program program(calls, text, fmt::format("halfmark{}", vendor.kernel_suffix));
  const Status status = program.compile(options_for(vendor, architecture, text));
  std::string log = program.log();
  if (status != 0) {
    throw BackendError("compile", status,
                       fmt::format("{}: {}", calls.error_name_of(status),
                                   log.empty() ? "the compiler gave no message" : log));
  }
  return {.log = std::move(log), .image = program.image()};
}

void prove_compiler(const Vendor& vendor, const FoundCompiler& found, const OpenLibrary& library,
                    const std::string& architecture) {
  const std::string target = architecture_for(vendor, found, architecture);
  if (target.empty()) return;
  try {
    static_cast<void>(compiled(vendor, library, full_text(vendor, "", kEmptyKernel), target));
  } catch (const BackendError& error) {
    std::string words = error.vendor_text;
    std::ranges::replace(words, '\n', ' ');
    throw BackendError("compile", error.code,
                       fmt::format("{} (version {}.{}) cannot compile an empty kernel for {}: {}",
                                   found.path, found.major, found.minor, target, words));
  }
}

std::string compiler_content(const std::string& path, const Library& compiler) {
  std::vector<std::string> contents{content_key_of_file(path)};
  std::set<fs::path> read;  // a part of 100 MB has several names
  for (const auto& names : {compiler.companions, compiler.parts}) {
    for (const std::string& file : companions_of(path, names)) {
      std::error_code unknown;
      if (!read.insert(fs::weakly_canonical(file, unknown)).second) continue;
      std::string content = content_key_of_file(file);
      if (std::ranges::find(contents, content) == contents.end())
        contents.push_back(std::move(content));
    }
  }
  if (contents.front().empty()) return {};
  return content_key(contents);
}

}  // namespace halfmark::backends::shim
