// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/reproducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/shim/blas_lt.hpp"
#include "backends/shim/compiler.hpp"
#include "backends/shim/dnn_vendor.hpp"
#include "backends/shim/embedded.hpp"
#include "backends/shim/reproducer_dnn.hpp"
#include "backends/shim/reproducer_unit.hpp"

namespace halfmark::backends::shim {
namespace {

// Makes the only device current, with or without a context.
std::string selection(const Words& words) {
  if (words.contains("driver.select_device")) return "@driver.select_device@(0);";
  return "@type.context@ context; @driver.context_retain@(&context, device), "
         "@driver.context_current@(context);";
}

// Makes the option that names the architecture: the one that the case was compiled for, where the
// device's name need not be it.
std::string architecture(const Architectures& how, const std::string& compiled_for) {
  if (how.from == Architectures::From::kCapability && !compiled_for.empty())
    return fmt::format("strcpy(architecture, \"{}{}@feature@\");", how.option, compiled_for);
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
      "  snprintf(architecture, sizeof architecture, \"{}{}%d%d@feature@\", major, minor);",
      how.option, how.prefix);
}

// The calls that make sums reproducible and as wide as the computation requires.
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

// The interface takes c and d separately, or one matrix that it reads and writes.
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

// The product, described by objects as in blas_lt.cpp.
constexpr const char* kDescribedMultiply =
    R"(const uintptr_t places[] = {(uintptr_t)at[@first@] + @first.bytes@, (uintptr_t)at[@second@] + @second.bytes@, (uintptr_t)at[@c@] + @c.bytes@, (uintptr_t)at[@d@] + @d.bytes@};
  const int32_t operations[] = {@first.operation@, @second.operation@}, epilogue = @epilogue@; const uint64_t most = @lt.most@;
  if (!e) e = layout(&layouts[0], @first.type@, @first.rows@, @first.columns@, @first.ld@, @first.stride@) || layout(&layouts[1], @second.type@, @second.rows@, @second.columns@, @second.ld@, @second.stride@) ||
      layout(&layouts[2], @c.type@, @m@, @n@, @c.ld@, @c.stride@) || layout(&layouts[3], @d.type@, @m@, @n@, @d.ld@, @d.stride@) || @lt.product_create@(&product, @compute@, @scalar.type@) ||
      @lt.product_set@(product, @lt.product_first@, &operations[0], 4) || @lt.product_set@(product, @lt.product_second@, &operations[1], 4) || @lt.product_set@(product, @lt.product_epilogue@, &epilogue, 4) ||
      @lt.preference_create@(&preference) || @lt.preference_set@(preference, @lt.preference_workspace@, &most, 8);
  @with.bias@ @with.scales@
  @lt.wishes@
  if (!e) e = @lt.choose@(handle, product, layouts[0], layouts[1], layouts[2], layouts[3], preference, 1, &choice, &found) || !found || (choice.workspaceSize && @driver.allocate@(&workspace, choice.workspaceSize));
  if (!e) e = @lt.multiply@(handle, product, &alpha, (void*)places[0], layouts[0], (void*)places[1], layouts[1], &beta, (void*)places[2], layouts[2], (void*)places[3], layouts[3], &choice.algo, (void*)workspace, choice.workspaceSize, 0);)";

// For a library that takes the operands' alignment and the permitted ways to add partial sums.
constexpr const char* kWishes =
    R"(const uint32_t reductions = @lt.reductions@; uint32_t alignment[4]; if (!e) e = @lt.preference_set@(preference, @lt.preference_reductions@, &reductions, 4); for (i = 0; i < 4; ++i) alignment[i] = (uint32_t)((places[i] | 256) & -(places[i] | 256));
  if (!e) e = @lt.preference_set@(preference, @lt.preference_first_alignment@, &alignment[0], 4) || @lt.preference_set@(preference, @lt.preference_second_alignment@, &alignment[1], 4) ||
      @lt.preference_set@(preference, @lt.preference_c_alignment@, &alignment[2], 4) || @lt.preference_set@(preference, @lt.preference_d_alignment@, &alignment[3], 4);)";

constexpr const char* kBias =
    R"(const int32_t bias_type = @bias.type@; const uint64_t bias_at = (uintptr_t)at[@bias@] + @bias.bytes@; if (!e) e = @lt.product_set@(product, @lt.product_bias@, &bias_at, 8) || @lt.product_set@(product, @lt.product_bias_type@, &bias_type, 4);)";

constexpr const char* kOpenScales =
    R"(float one = 1; @type.address@ scale = 0; if (!e) e = @driver.allocate@(&scale, 4) || @driver.copy_in@(scale, &one, 4);)";

// The statements that move bytes and launch, and the form of a launch's arguments.
void add_steps(Words& words) {
  words.merge(
      Words{{"create", "e |= @driver.allocate@(&at[i], tensors[i].size@guard@)"},
            {"write", "e |= @driver.copy_in@(at[i], tensors[i].data, tensors[i].size@guard@)"},
            {"read", "@driver.copy_out@(@into@, at[@result.at@], @bytes@)"},
            {"launch", kLaunch},
            {"argument.tensor", "&at[@tensor@]"},
            {"argument.int", "(int[]){@value@}"},
            {"argument.unsigned", "(unsigned[]){@value@}"},
            {"argument.float", "(float[]){@value@}"}});
}

Words with(Words words, std::span<const Word> table) {
  for (const auto& [place, word] : table) words[place] = word;
  return words;
}

Words blas_words(const Words& common, std::span<const Word> table, std::span<const Word> own) {
  Words words = with(with(common, table), own);
  words["operate"] = kMultiply;
  add_modes(words);
  add_call(words);
  return words;
}

Words lt_words(const LtVendor& vendor, const Words& common, std::span<const Word> table,
               std::span<const Word> own) {
  Words words = with(with(common, table), own);
  words["operate"] = kDescribedMultiply;
  words["operation.none"] = "@lt.none@";
  words["operation.transpose"] = "@lt.transpose@";
  words["lt.most"] = fmt::format("{}", kLtWorkspaceLimit);
  if (words.contains("lt.is_cpp")) words["is_cpp"] = "yes";
  words["lt.wishes"] = words.contains("lt.preference_reductions") ? kWishes : "";
  words["bias.part"] = kBias;
  words["scale.part"] = kOpenScales;
  for (const char* operand : {"first", "second", "d"}) {
    words[fmt::format("scale.part.{}", operand)] = fmt::format(
        " if (!e) e = @lt.product_set@(product, @lt.product_{}_scale@, &scale, sizeof scale);",
        operand);
  }
  if (!vendor.c_of_narrow_d.empty())
    words["c.of_narrow_d"] = fmt::format("@type.{}@", vendor.c_of_narrow_d);
  return words;
}

// The words that every program of the vendor may use.
Words common_words(std::span<const Word> table, std::span<const Word> own) {
  Words words = with(with({}, table), own);
  words["feature"] = "";
  words["select"] = selection(words);
  add_steps(words);
  return words;
}

// The compiler's call for kernels of this text, as compiled() in compiler.hpp makes it. The program
// makes the first option, the architecture.
Words compiler_words(const Vendor& vendor, std::string_view text, const DeviceInfo& device) {
  const std::vector<std::string> options =
      options_for(vendor, "", full_text(vendor, "", std::string(text)));
  return {{"architecture",
           architecture(vendor.architectures, device.extra.value("compiled_for", std::string()))},
          {"options", fmt::format("\"{}\"", fmt::join(std::span(options).subspan(1), "\", \""))},
          {"option_count", fmt::format("{}", options.size())}};
}

ReproducerFrame frame_of(std::string_view library, std::string_view text, Words words) {
  return {.library = std::string(library),
          .dialect = {},
          .text = std::string(text),
          .words = std::move(words)};
}

}  // namespace

std::vector<ReproducerFrame> reproducers(const Vendor& vendor, const WordTables& tables,
                                         std::span<const Word> own) {
  const Words common = common_words(tables.driver, own);
  const std::string_view family = vendor.takes_family_words ? family_h : std::string_view();
  std::vector<ReproducerFrame> frames = {frame_of("", reproducer_c, common)};
  frames[0].dialect = fmt::format("{}{}", family, *vendor.dialect);
  frames[0].words_of_kernel = [&vendor](std::string_view text, const DeviceInfo& device) {
    return compiler_words(vendor, text, device);
  };
  for (const UnitForm& form : vendor.units.forms) {
    ReproducerFrame& frame = frames.emplace_back(frames[0]);
    frame.library = form.library;
    frame.kernel_of_call = [&form](const DriverOperatorCall& call, const DeviceInfo& device) {
      return unit_kernel(form, call, device);
    };
  }
  frames.push_back(
      frame_of(vendor.blas->name, reproducer_gemm_c, blas_words(common, tables.blas, own)));
  if (vendor.blas_lt != nullptr)
    frames.push_back(frame_of(vendor.blas_lt->name, reproducer_lt_c,
                              lt_words(*vendor.blas_lt, common, tables.lt, own)));
  if (vendor.dnn != nullptr) {
    frames.push_back(frame_of(vendor.dnn->name, reproducer_dnn_c,
                              dnn_steps(with(with(common, tables.dnn), own))));
    frames.back().words_of_call = [dnn = vendor.dnn](const DriverOperatorCall& call) {
      return dnn_words(*dnn, call);
    };
  }
  return frames;
}

}  // namespace halfmark::backends::shim
