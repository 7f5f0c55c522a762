// SPDX-License-Identifier: Apache-2.0
//
// A vendor's run-time compiler at work: what text and options it gets, and whether it works. For
// vendor processes only, except the texts: compilers may crash or hang here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/shim/library.hpp"
#include "backends/shim/search.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

// The input of a vendor's compiler: the text is definitions, dialect and source, where the dialect
// is skipped if its words are already defined (as in a stand-in). The options are strict, except
// that a source of nothing but calls of the vendor's functions is compiled with the contraction
// that the vendor's table of their errors assumes, where the vendor says so.
[[nodiscard]] std::string full_text(const Vendor& vendor, const std::string& definitions,
                                    const std::string& source);
[[nodiscard]] std::vector<std::string> options_for(const Vendor& vendor,
                                                   const std::string& architecture,
                                                   std::string_view text);

// What the texts of kernels may rely on, as definitions.
[[nodiscard]] std::string device_definitions(std::span<const Promise> promises);

// The compute capability in an architecture's name; 0 for vendors without such names.
[[nodiscard]] int capability_of(const Vendor& vendor, const std::string& architecture);

// The architecture that the compiler makes code for, for a device of the wanted one: the best that
// the device runs; the compiler's newest one when there is none; empty when nothing is known.
[[nodiscard]] std::string architecture_for(const Vendor& vendor, const FoundCompiler& found,
                                           const std::string& wanted);

struct CompiledText {
  std::string log;
  std::string image;
};

// Throws BackendError with the compiler's log.
[[nodiscard]] CompiledText compiled(const Vendor& vendor, const OpenLibrary& library,
                                    const std::string& text, const std::string& architecture);

// Compiles an empty kernel with architecture_for(). Throws BackendError that names the file. A
// compiler that loads may still find none of what it opens when it works.
void prove_compiler(const Vendor& vendor, const FoundCompiler& found, const OpenLibrary& library,
                    const std::string& architecture);

// A hash of the compiler's file, its companions and its parts, the same wherever they lie; empty
// when they cannot be read.
[[nodiscard]] std::string compiler_content(const std::string& path, const Library& compiler);

}  // namespace halfmark::backends::shim
