// SPDX-License-Identifier: Apache-2.0
// Compiled once for each vendor.
#include "tools/halfmark/reproducers/vendor_header.hpp"

#include <string>
#include <string_view>
#include <utility>

#include HM_VENDOR_NAMES
#include HM_VENDOR_BLAS_NAMES
#ifdef HM_VENDOR_BLAS_LT_NAMES
#include HM_VENDOR_BLAS_LT_NAMES
#endif
#ifdef HM_VENDOR_DNN_NAMES
#include HM_VENDOR_DNN_NAMES
#endif

namespace halfmark::tools::HM_VENDOR {
namespace {

// Parameters by role, as in backends/shim/calls.hpp and the calls of its libraries. Roles that no
// program calls have none.
constexpr std::pair<std::string_view, const char*> kParameters[] = {
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
     "int, long long, int, int, int, int, unsigned"},
    {"lt.create", "@type.lt@*"},
    {"lt.layout_create", "@type.layout@*, int, uint64_t, uint64_t, int64_t"},
    {"lt.layout_set", "@type.layout@, int, const void*, size_t"},
    {"lt.product_create", "@type.product@*, int, int"},
    {"lt.product_set", "@type.product@, int, const void*, size_t"},
    {"lt.preference_create", "@type.preference@*"},
    {"lt.preference_set", "@type.preference@, int, const void*, size_t"},
    {"lt.choose",
     "@type.lt@, @type.product@, @type.layout@, @type.layout@, @type.layout@, @type.layout@, "
     "@type.preference@, int, @type.choice@*, int*"},
    {"lt.multiply",
     "@type.lt@, @type.product@, const void*, const void*, @type.layout@, const void*, "
     "@type.layout@, const void*, const void*, @type.layout@, void*, @type.layout@, const void*, "
     "void*, size_t, void*"},
    {"dnn.create", "@type.dnn@*"},
    {"dnn.create_tensor", "@type.view@*"},
    {"dnn.describe_tensor", "@type.view@, int, int, const int*, const int*"},
    {"dnn.softmax_algorithm_first",
     "@type.dnn@, int, int, const void*, @type.view@, const void*, const void*, @type.view@, "
     "void*"},
    {"dnn.softmax_algorithm_last",
     "@type.dnn@, const void*, @type.view@, const void*, const void*, @type.view@, void*, int, "
     "int"},
    {"dnn.softmax_backward_algorithm_first",
     "@type.dnn@, int, int, const void*, @type.view@, const void*, @type.view@, const void*, "
     "const void*, @type.view@, void*"},
    {"dnn.softmax_backward_algorithm_last",
     "@type.dnn@, const void*, @type.view@, const void*, @type.view@, const void*, const void*, "
     "@type.view@, void*, int, int"},
    {"dnn.layer_norm_forward",
     "@type.dnn@, int, @type.view@, const void*, @type.view@, const void*, @type.view@, const "
     "void*, float, int32_t, @type.view@, void*, @type.view@, void*, @type.view@, void*"}};

const char* parameters(std::string_view role) {
  for (const auto& [name, list] : kParameters) {
    if (name == role) return list;
  }
  return "";
}

std::string prototype(const std::string& role, const char* symbol) {
  const std::string list = parameters(role);
  return list.empty() ? "" : std::string("int ") + symbol + "(" + list + ");\n";
}

}  // namespace

namespace {

#ifdef HM_LT_CALLS
std::string lt_text() {
  std::string text =
      "typedef int @type.number@;\ntypedef void *@type.lt@, *@type.layout@, *@type.product@, "
      "*@type.preference@;\n"
      "typedef struct { struct { char data[BYTES]; } algo; size_t workspaceSize; int "
      "state; float waves; int reserved[4]; } @type.choice@;\n";
#define HM_LT(role, symbol) text += prototype("lt." #role, #symbol);
#define HM_NEW_NUMBER(word, enumerator, value) \
  text += "#ifndef " #enumerator "\n#define " #enumerator " " #value "\n#endif\n";
#define HM_LT_COMPUTE(word, enumerator, value, reductions, scalars) \
  HM_NEW_NUMBER(word, enumerator, value)
#define HM_LT_EPILOGUE(activation, has_bias, enumerator, value) \
  HM_NEW_NUMBER(activation, enumerator, value)
  HM_LT_CALLS(HM_LT)
  HM_LT_NUMBERS(HM_NEW_NUMBER)
  HM_LT_TYPES(HM_NEW_NUMBER)
  HM_LT_COMPUTES(HM_LT_COMPUTE)
  HM_LT_EPILOGUES(HM_LT_EPILOGUE)
#define HM_BYTES(word, type, bytes) text.replace(text.find("BYTES"), 5, #bytes);
  HM_LT_ALGORITHM(HM_BYTES)
  return text;
}
#else
std::string lt_text() { return {}; }
#endif

#ifdef HM_DNN_CALLS
std::string dnn_text() {
  std::string text = "typedef void *@type.dnn@, *@type.view@;\n";
#define HM_DNN(role, symbol) text += prototype("dnn." #role, #symbol);
#define HM_DNN_NUMBER(word, enumerator, value) text += "#define " #enumerator " " #value "\n";
#define HM_DNN_TYPE(word, enumerator, value, scalars) HM_DNN_NUMBER(word, enumerator, value)
  HM_DNN_CALLS(HM_DNN)
  HM_DNN_CALLS_OPTIONAL(HM_DNN)
  HM_DNN_TYPES(HM_DNN_TYPE)
  HM_DNN_SOFTMAX(HM_DNN_NUMBER)
#ifdef HM_DNN_LAYER_NORM
  HM_DNN_LAYER_NORM(HM_DNN_NUMBER)
#endif
  return text;
}
#else
std::string dnn_text() { return {}; }
#endif

}  // namespace

std::string header_text(const backends::Words& of_vendor) {
  backends::Words words = of_vendor;
  words.emplace("type.context", "no_context");
  std::string text =
      "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n#ifdef __cplusplus\nextern "
      "\"C\" {\n#endif\n"
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
  text += lt_text() + dnn_text() + "#ifdef __cplusplus\n}\n#endif\n";
  return backends::filled(text, words).value_or("");
}

}  // namespace halfmark::tools::HM_VENDOR
