// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/reproducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/shim/embedded.hpp"

namespace halfmark::backends::shim {
namespace {

// The device as the only one of a context.
std::string selection(const Words& words) {
  if (words.contains("driver.select_device")) return "@driver.select_device@(0);";
  return "@type.context@ context; @driver.context_retain@(&context, device), "
         "@driver.context_current@(context);";
}

// The option that names the architecture, as options_for() in jobs.hpp makes it.
std::string architecture(const Architectures& how) {
  if (how.from == Architectures::From::kProperties) {
    return fmt::format(
        "static char block[16384], *name = block; @driver.device_properties@((void*)block, 0);\n"
        "  while (name < block + 16000 && memcmp(name, \"{0}\", {1})) ++name;\n"
        "  snprintf(architecture, sizeof architecture, \"{2}%.300s\", name);",
        how.prefix, std::string_view(how.prefix).size(), how.option);
  }
  return fmt::format(
      "int major = 0, minor = 0; @driver.device_attribute@(&major, @attribute.capability_major@, "
      "device);\n"
      "  @driver.device_attribute@(&minor, @attribute.capability_minor@, device);\n"
      "  snprintf(architecture, sizeof architecture, \"{}{}%d%d\", major, minor);",
      how.option, how.prefix);
}

// The calls that make sums repeat and keep them as wide as the computation says.
void add_modes(Words& words) {
  const bool orders = words.contains("blas.set_atomics_mode");
  const std::string ordered = orders ? "@blas.set_atomics_mode@(handle, 0);" : "";
  Words made;
  for (const auto& [place, mode] : words) {
    if (!place.starts_with("mode.")) continue;
    const std::string call =
        mode.empty() ? "" : fmt::format(" @blas.set_math_mode@(handle, {});", mode);
    made.emplace("modes" + place.substr(place.find('.')), ordered + call);
  }
  words.merge(made);
}

// Where the interface has two matrices, or one that is read and written.
void add_call(Words& words) {
  constexpr const char* kD = "(char*)at[@d@] + @d.bytes@, @d.type@, @d.ld@, @d.stride@";
  constexpr const char* kC = "(char*)at[@c@] + @c.bytes@, @c.type@, @c.ld@, @c.stride@";
  const bool two = words.contains("blas.multiply");
  words["blas.call"] = two ? "@blas.multiply@" : "@blas.multiply_in_place@";
  words["results"] = two ? fmt::format("{}, {}", kC, kD) : kD;
  words["blas.algorithm"] = two ? "@algorithm@, 0, 0" : "@algorithm@";
  if (!two) words["in_place"] = "yes";
}

constexpr const char* kLaunch =
    R"(if (!e && !(e = @driver.module_function@(&kernel, module, "@entry@"))) e = @driver.launch@(kernel, @groups@, @group@, 0, 0, (void*[]){@arguments@}, 0);)";

constexpr const char* kMultiply =
    R"(if (!e) e = @blas.call@(handle, @first.operation@, @second.operation@, @m@, @n@, @k@, &alpha,
      (char*)at[@first@] + @first.bytes@, @first.type@, @first.ld@, @first.stride@,
      (char*)at[@second@] + @second.bytes@, @second.type@, @second.ld@, @second.stride@, &beta,
      @results@, @batch@, @compute@, @blas.algorithm@);)";

// What moves bytes, and how a launch takes its arguments.
void add_steps(Words& words) {
  words.merge(
      Words{{"create", "e |= @driver.allocate@(&at[i], tensors[i].size@guard@)"},
            {"write", "e |= @driver.copy_in@(at[i], tensors[i].data, tensors[i].size@guard@)"},
            {"read", "@driver.copy_out@(@into@, at[@result.at@], @bytes@)"},
            {"launch", kLaunch},
            {"argument.tensor", "&at[@tensor@]"},
            {"argument.int", "(int[]){@value@}"},
            {"argument.unsigned", "(unsigned[]){@value@}"},
            {"argument.float", "(float[]){@value@}"},
            {"multiply", kMultiply}});
}

}  // namespace

std::vector<ReproducerFrame> reproducers(const Vendor& vendor, std::span<const Word> tables,
                                         std::span<const Word> own) {
  Words words;
  for (const std::span<const Word> list : {tables, own}) {
    for (const auto& [place, word] : list) words[place] = word;
  }
  words["select"] = selection(words);
  words["architecture"] = architecture(vendor.architectures);
  words["options"] = fmt::format("\"{}\"", fmt::join(vendor.strict_options, "\", \""));
  words["option_count"] = fmt::format("{}", vendor.strict_options.size() + 1);
  add_steps(words);
  add_modes(words);
  add_call(words);
  const std::string_view family = vendor.takes_family_words ? family_h : std::string_view();
  return {{.library = {},
           .dialect = fmt::format("{}{}", family, *vendor.dialect),
           .text = std::string(reproducer_c),
           .words = words},
          {.library = vendor.blas->name,
           .dialect = {},
           .text = std::string(reproducer_gemm_c),
           .words = words}};
}

}  // namespace halfmark::backends::shim
