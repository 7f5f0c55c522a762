// SPDX-License-Identifier: Apache-2.0
//
// The stand-in of a vendor's run-time compiler: the software device's compiler with the vendor's
// symbols. As strict as the strictest vendor: an unknown option is an error.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backends/host/image_cache.hpp"
#include "backends/host/module.hpp"
#include "backends/standin/definitions.hpp"
#include "backends/standin/device.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/image.hpp"

namespace halfmark::backends::shim::standin {
namespace {

// The same numbers in all three interfaces.
enum Result : Status {
  kOk = 0,
  kInvalidInput = 3,
  kInvalidProgram = 4,
  kInvalidOption = 5,
  kFailed = 6
};

struct SourceProgram {
  std::string source;
  std::string log;
  std::string image;
};

// Parses the options; the log names the one that is refused.
bool understand(std::span<const char* const> options, SourceImage& image, std::string& log) {
  const std::string_view architecture_option = vendor().architectures.option;
  const auto& strict = vendor().strict_options;
  for (const std::string_view option : options) {
    if (option.starts_with(architecture_option)) {
      image.architecture = option.substr(architecture_option.size());
    } else if (std::find(strict.begin(), strict.end(), option) == strict.end()) {
      log = "unrecognized option " + std::string(option);
      return false;
    }
    if (option == vendor().no_contraction) image.contracts = false;
  }
  if (image.architecture.empty()) log = "no architecture";
  return !image.architecture.empty();
}

void misbehave(const std::string& source) {
  const char* words = std::getenv("HALFMARK_STAND_IN_MISBEHAVE");
  Misbehaviour misbehaviour(words == nullptr ? "" : words);
  const char* what = source.find("hm_empty") == source.npos ? "program" : "hm_empty";
  if (misbehaviour.strikes("crash-compiler", what)) std::abort();
  if (misbehaviour.strikes("hang-compiler", what)) {
    while (true) ::pause();
  }
}

Status compile(SourceProgram& program, std::span<const char* const> options) {
  misbehave(program.source);
  SourceImage image{
      .backend = vendor().backend, .architecture = {}, .contracts = true, .source = program.source};
  if (!understand(options, image, program.log)) return kInvalidOption;
  const host::ImageCache cache;
  const host::Module module =
      host::Module::build(compiler_for(host::find_compiler(), image.contracts), cache, image.source,
                          definitions_of(image.source));
  program.log = module.log();
  program.image = packed(image);
  return kOk;
}

SourceProgram* program_of(void* handle) { return static_cast<SourceProgram*>(handle); }

}  // namespace

extern "C" {

Status standin_version(int* major, int* minor) {
  *major = 99;
  *minor = 0;
  return kOk;
}
const char* standin_error_name_of(Status status) {
  switch (status) {
    case kOk:
      return "stand-in: ok";
    case kInvalidOption:
      return "stand-in: invalid option";
    case kFailed:
      return "stand-in: compilation failed";
    default:
      return "stand-in: invalid use";
  }
}
[[maybe_unused]] Status standin_architecture_count(int* count) {
  *count = static_cast<int>(vendor().stand_in.compiler_architectures.size());
  return kOk;
}
[[maybe_unused]] Status standin_architectures(int* list) {
  const auto& all = vendor().stand_in.compiler_architectures;
  std::copy(all.begin(), all.end(), list);
  return kOk;
}
// Ignores headers: only the dialect may include them, and the stand-in skips the dialect because
// its words are defined already.
Status standin_create(void** program, const char* source, const char*, int header_count,
                      const char* const* headers, const char* const* header_names) {
  const bool has_headers = headers != nullptr && header_names != nullptr;
  if (source == nullptr || header_count < 0 || (header_count != 0 && !has_headers))
    return kInvalidInput;
  *program = new SourceProgram{.source = source, .log = {}, .image = {}};
  return kOk;
}
Status standin_destroy(void** program) {
  delete program_of(*program);
  *program = nullptr;
  return kOk;
}
Status standin_compile(void* program, int count, const char* const* options) {
  if (program == nullptr) return kInvalidProgram;
  try {
    return compile(*program_of(program), {options, static_cast<std::size_t>(count)});
  } catch (const std::exception& error) {
    program_of(program)->log = error.what();
    return kFailed;
  }
}
Status standin_log_bytes(void* program, std::size_t* bytes) {
  *bytes = program_of(program)->log.size() + 1;
  return kOk;
}
Status standin_log(void* program, char* text) {
  std::strcpy(text, program_of(program)->log.c_str());
  return kOk;
}
Status standin_image_bytes(void* program, std::size_t* bytes) {
  *bytes = program_of(program)->image.size();
  return kOk;
}
Status standin_image(void* program, char* image) {
  const std::string& made = program_of(program)->image;
  std::memcpy(image, made.data(), made.size());
  return kOk;
}

// The vendor's symbols.
// NOLINTBEGIN(readability-identifier-naming)
HM_NAMES_COMPILER(HM_STAND_IN_COMPILER)
HM_NAMES_COMPILER_OPTIONAL(HM_STAND_IN_COMPILER)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
}  // namespace halfmark::backends::shim::standin
