// SPDX-License-Identifier: Apache-2.0
// Compiled once for each vendor.
#include "tools/halfmark/reproducers/vendor_header.hpp"

#include <map>
#include <string>

#include HM_VENDOR_NAMES
#include HM_VENDOR_BLAS_NAMES

namespace halfmark::tools::HM_VENDOR {
namespace {

// Parameters by role, as backends/shim/calls.hpp and blas_calls.hpp have them. Of a role that no
// program calls: none.
const char* parameters(const std::string& role) {
  static const std::map<std::string, const char*> rows = {
      {"driver.initialise", "unsigned"},
      {"driver.device_of", "@type.device@*, int"},
      {"driver.device_attribute", "int*, int, @type.device@"},
      {"driver.device_properties", "void*, int"},
      {"driver.context_retain", "@type.context@*, @type.device@"},
      {"driver.context_current", "@type.context@"},
      {"driver.select_device", "int"},
      {"driver.allocate", "@type.address@*, size_t"},
      {"driver.copy_in", "@type.address@, const void*, size_t"},
      {"driver.copy_out", "void*, @type.address@, size_t"},
      {"driver.module_load", "@type.module@*, const void*"},
      {"driver.module_function", "@type.function@*, @type.module@, const char*"},
      {"driver.launch",
       "@type.function@, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, "
       "void*, void**, void**"},
      {"compiler.create",
       "@type.program@*, const char*, const char*, int, const char**, const char**"},
      {"compiler.compile", "@type.program@, int, const char**"},
      {"compiler.image", "@type.program@, char*"},
      {"blas.create", "@type.blas@*"},
      {"blas.set_math_mode", "@type.blas@, int"},
      {"blas.set_atomics_mode", "@type.blas@, int"},
      {"blas.multiply_in_place",
       "@type.blas@, int, int, int, int, int, const void*, const void*, int, int, long long, const "
       "void*, int, int, long long, const void*, void*, int, int, long long, int, int, int"},
      {"blas.multiply",
       "@type.blas@, int, int, int, int, int, const void*, const void*, int, int, long long, const "
       "void*, int, int, long long, const void*, const void*, int, int, long long, void*, int, "
       "int, long long, int, int, int, int, unsigned"}};
  const auto found = rows.find(role);
  return found == rows.end() ? "" : found->second;
}

std::string prototype(const std::string& role, const char* symbol) {
  const std::string list = parameters(role);
  return list.empty() ? "" : std::string("int ") + symbol + "(" + list + ");\n";
}

}  // namespace

std::string header_text(const backends::Words& of_vendor) {
  backends::Words words = of_vendor;
  words.emplace("type.context", "no_context");
  std::string text =
      "#pragma once\n#include <stddef.h>\n"
      "typedef int @type.device@;\ntypedef unsigned long long @type.address@;\n"
      "typedef void *@type.context@, *@type.module@, *@type.function@, *@type.program@, "
      "*@type.blas@;\n";
#define HM_DRIVER(role, symbol) text += prototype("driver." #role, #symbol);
#define HM_COMPILER(role, symbol) text += prototype("compiler." #role, #symbol);
#define HM_BLAS(role, symbol) text += prototype("blas." #role, #symbol);
#define HM_NUMBER(word, enumerator, value) text += "#define " #enumerator " " #value "\n";
#define HM_COMPUTE(word, enumerator, value, mode, mode_value, scalars) \
  HM_NUMBER(word, enumerator, value)                                   \
  HM_NUMBER(word, mode, mode_value)
  HM_NAMES_DRIVER(HM_DRIVER)
  HM_NAMES_COMPILER(HM_COMPILER)
  HM_NAMES_ATTRIBUTES(HM_NUMBER)
  HM_BLAS_CALLS(HM_BLAS)
  HM_BLAS_CALLS_OPTIONAL(HM_BLAS)
  HM_BLAS_OPERATIONS(HM_NUMBER)
  HM_BLAS_TYPES(HM_NUMBER)
  HM_BLAS_ALGORITHM(HM_NUMBER)
  HM_BLAS_COMPUTES(HM_COMPUTE)
  return backends::filled(text, words).value_or("");
}

}  // namespace halfmark::tools::HM_VENDOR
