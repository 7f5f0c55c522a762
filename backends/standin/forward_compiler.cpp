// SPDX-License-Identifier: Apache-2.0
//
// A vendor's run-time compiler, forwarded (forward.hpp): the target's compiler compiles the
// vendor's text after a prelude that the text needs. Decides how options are translated: each of
// the vendor's is accepted or refused, and the target gets its own.
//
// Assumption: results have the same numbers in all interfaces of the family.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "backends/shim/compiler.hpp"
#include "backends/shim/library.hpp"
#include "backends/shim/search.hpp"
#include "backends/standin/definitions.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/forward.hpp"

namespace halfmark::backends::shim::standin {
namespace {

constexpr Status kInvalidInput = 3;
constexpr Status kInvalidOption = 5;
constexpr Status kInternal = 11;

struct TargetCompiler {
  FoundCompiler found;
  CompilerCalls calls{};
};

// Only reads the version; starts nothing, because compilers need no driver.
int driver_major() {
  int version = 0;
  std::vector<std::string> reasons;
  first_usable(target().driver, reasons, [&](const OpenLibrary& library) {
    DriverCalls calls{};
    library.bind(target().driver.symbols, &calls);
    return calls.driver_version(&version) == 0;
  });
  return version == 0 ? 99 : version / 1000;
}

const TargetCompiler& compiler() {
  static const TargetCompiler opened = [] {
    TargetCompiler target_compiler;
    target_compiler.found = find_compiler(
        target(), {.driver_major = driver_major(),
                   .capability = 0,
                   .skipped = {},
                   .reasons = {},
                   .before = {},
                   .prove = [](const FoundCompiler& found, const OpenLibrary& library) {
                     prove_compiler(target(), found, library, "");
                   }});
    OpenLibrary library =
        OpenLibrary::open(target_compiler.found.path, target().compiler.companions);
    library.bind(target().compiler.symbols, &target_compiler.calls);
    library.keep();
    return target_compiler;
  }();
  return opened;
}

struct ForwardedProgram {
  void* raw = nullptr;  // the target's program
  std::string refusal;  // replaces the target's log
};

ForwardedProgram& program_of(void* handle) { return *static_cast<ForwardedProgram*>(handle); }

// The definitions stay first because the prelude depends on them.
std::string text_for_target(std::string_view source) {
  const bool is_header = vendor().stand_in.forwarded_header != nullptr;
  const std::size_t definitions = definitions_length(source);
  return fmt::format("{}#ifndef HM_KERNEL\n{}{}#endif\n#line 1\n{}", source.substr(0, definitions),
                     *target().stand_in.forwarded,
                     is_header ? std::string_view() : *vendor().stand_in.forwarded,
                     source.substr(definitions));
}

Status create(void** program, const char* source, const char* name) {
  const bool is_header = vendor().stand_in.forwarded_header != nullptr;
  const std::string header(*vendor().stand_in.forwarded);
  const char* const headers[] = {header.c_str()};
  auto made = std::make_unique<ForwardedProgram>();
  const Status status =
      compiler().calls.create(&made->raw, text_for_target(source).c_str(), name, is_header ? 1 : 0,
                              headers, &vendor().stand_in.forwarded_header);
  if (status == 0) *program = made.release();
  return status;
}

std::string target_architecture(std::string_view own) {
  const int capability = capability_of(own);
  const std::vector<int>& offered = compiler().found.architectures;
  const int best = offered.empty() ? capability : best_capability(offered, capability);
  if (best == 0) {
    throw BackendError("compile", kInvalidOption,
                       fmt::format("{} makes no code for {}; it offers {}", compiler().found.path,
                                   own, fmt::join(offered, " ")));
  }
  return fmt::format("{}{}{}", target().architectures.option, target().architectures.prefix, best);
}

// Forbids contraction on the target exactly when the vendor's option does.
std::vector<std::string> translated(std::span<const char* const> options) {
  const auto& strict = vendor().strict_options;
  std::vector<std::string> result;
  bool contracts = true;
  for (const std::string_view option : options) {
    if (option.starts_with(vendor().architectures.option)) {
      result.push_back(
          target_architecture(option.substr(std::strlen(vendor().architectures.option))));
    } else if (std::find(strict.begin(), strict.end(), option) == strict.end()) {
      throw BackendError("compile", kInvalidOption, fmt::format("unrecognized option {}", option));
    }
    if (option == vendor().no_contraction) contracts = false;
  }
  if (result.empty()) throw BackendError("compile", kInvalidOption, "no architecture");
  for (const std::string_view option : target().strict_options) {
    if (!contracts || option != target().no_contraction) result.emplace_back(option);
  }
  return result;
}

Status compile(ForwardedProgram& program, std::span<const char* const> options) {
  const std::vector<std::string> words = translated(options);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return compiler().calls.compile(program.raw, static_cast<int>(pointers.size()), pointers.data());
}

// Runs one call; turns every exception into a number, with its text as the program's refusal.
template <typename Call>
Status guarded(ForwardedProgram* program, Call&& call) noexcept {
  try {
    return call();
  } catch (const BackendError& error) {
    if (program != nullptr) program->refusal = error.vendor_text;
    return error.code == 0 ? kInternal : static_cast<Status>(error.code);
  } catch (const std::exception& error) {
    if (program != nullptr) program->refusal = error.what();
    return kInternal;
  }
}

}  // namespace

extern "C" {

Status standin_version(int* major, int* minor) {
  return guarded(nullptr, [&] { return compiler().calls.version(major, minor); });
}
const char* standin_error_name_of(Status status) {
  const char* name = "forwarding stand-in: no compiler to forward to";
  guarded(nullptr, [&] {
    name = compiler().calls.error_name_of(status);
    return 0;
  });
  return name;
}
[[maybe_unused]] Status standin_architecture_count(int* count) {
  return guarded(nullptr, [&] { return compiler().calls.architecture_count(count); });
}
[[maybe_unused]] Status standin_architectures(int* list) {
  return guarded(nullptr, [&] { return compiler().calls.architectures(list); });
}
Status standin_create(void** program, const char* source, const char* name, int header_count,
                      const char* const*, const char* const*) {
  if (source == nullptr || header_count != 0) return kInvalidInput;
  return guarded(nullptr, [&] { return create(program, source, name); });
}
Status standin_destroy(void** program) {
  const std::unique_ptr<ForwardedProgram> gone(static_cast<ForwardedProgram*>(*program));
  *program = nullptr;
  return guarded(nullptr, [&] { return compiler().calls.destroy(&gone->raw); });
}
Status standin_compile(void* program, int count, const char* const* options) {
  ForwardedProgram& forwarded = program_of(program);
  return guarded(&forwarded,
                 [&] { return compile(forwarded, {options, static_cast<std::size_t>(count)}); });
}
Status standin_log_bytes(void* program, std::size_t* bytes) {
  const ForwardedProgram& forwarded = program_of(program);
  if (forwarded.refusal.empty()) return compiler().calls.log_bytes(forwarded.raw, bytes);
  *bytes = forwarded.refusal.size() + 1;
  return 0;
}
Status standin_log(void* program, char* text) {
  const ForwardedProgram& forwarded = program_of(program);
  if (forwarded.refusal.empty()) return compiler().calls.log(forwarded.raw, text);
  std::memcpy(text, forwarded.refusal.c_str(), forwarded.refusal.size() + 1);
  return 0;
}
Status standin_image_bytes(void* program, std::size_t* bytes) {
  return compiler().calls.image_bytes(program_of(program).raw, bytes);
}
Status standin_image(void* program, char* image) {
  return compiler().calls.image(program_of(program).raw, image);
}

// The vendor's symbols.
// NOLINTBEGIN(readability-identifier-naming)
HM_NAMES_COMPILER(HM_STAND_IN_COMPILER)
HM_NAMES_COMPILER_OPTIONAL(HM_STAND_IN_COMPILER)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
}  // namespace halfmark::backends::shim::standin
