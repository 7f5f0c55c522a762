// SPDX-License-Identifier: Apache-2.0
#include "backends/x86_census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/x86_decoder.hpp"
#include "backends/x86_function.hpp"

namespace halfmark::backends {
namespace {

constexpr std::string_view kConversions[] = {
    "__extendhfsf2", "__extendhfdf2",  "__extendhfxf2",  "__extendhftf2", "__extendbfsf2",
    "__truncsfhf2",  "__truncdfhf2",   "__truncxfhf2",   "__trunctfhf2",  "__truncsfbf2",
    "__truncdfbf2",  "__gnu_h2f_ieee", "__gnu_f2h_ieee", "__gnu_d2h_ieee"};
constexpr std::string_view kWithoutArithmetic[] = {"memcpy", "memmove",          "memset",
                                                   "memcmp", "__stack_chk_fail", "__tls_get_addr"};

bool holds(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Count {
 public:
  explicit Count(const CodeImage& image) : image_(image) {}

  CensusReading from(std::uint64_t start) {
    reach(start, false);
    while (!open_.empty()) {
      const std::uint64_t address = open_.back();
      open_.pop_back();
      const X86Function& function = read(address);
      if (!function.why.empty()) return {.why = function.why};
      for (const X86Call& call : function.calls) follow(call, looping_[address]);
    }
    sum();
    return std::move(reading_);
  }

 private:
  const X86Function& read(std::uint64_t address) {
    const auto known = functions_.find(address);
    if (known != functions_.end()) return known->second;
    return functions_.emplace(address, read_x86_function(image_, address)).first->second;
  }

  // A function that is met in a loop is gone through again: what it calls is in that loop, too.
  void reach(std::uint64_t address, bool in_loop) {
    const auto [known, is_new] = looping_.emplace(address, in_loop);
    if (!is_new && (known->second || !in_loop)) return;
    known->second = in_loop;
    open_.push_back(address);
  }

  void follow(const X86Call& call, bool caller_in_loop) {
    if (call.target.kind == Target::Kind::kAddress)
      return reach(call.target.address, call.in_loop || caller_in_loop);
    if (call.target.kind == Target::Kind::kUnknown) {
      reading_.unresolved_calls.insert(call.words);
    } else if (!holds(kConversions, call.target.name) &&
               !holds(kWithoutArithmetic, call.target.name)) {
      reading_.unresolved_calls.insert(call.target.name);
    }
  }

  void sum() {
    Census all;
    Census in_loops;
    for (const auto& [address, function] : functions_) {
      const bool looping = looping_[address];
      all += function.census;
      in_loops += looping ? function.census : function.in_loops;
      for (const X86Call& call : function.calls) {
        if (!holds(kConversions, call.target.name)) continue;
        ++all.conversions;
        if (looping || call.in_loop) ++in_loops.conversions;
      }
    }
    reading_.census = all;
    reading_.in_loops = in_loops;
  }

  const CodeImage& image_;
  std::map<std::uint64_t, X86Function> functions_;
  std::map<std::uint64_t, bool> looping_;  // whether it is called in an innermost loop
  std::vector<std::uint64_t> open_;
  CensusReading reading_;
};

}  // namespace

CensusReading x86_census(const CodeImage& image, std::uint64_t start) {
  if (!x86_decoder_lacks().empty()) return {.why = x86_decoder_lacks()};
  return Count(image).from(start);
}

CensusReading x86_census(std::span<const std::byte> file, const std::string& function) {
  const auto image = CodeImage::parse(file, kX86Machine);
  if (!image) return {.why = "the image holds no x86-64 code"};
  const auto start = image->address_of(function);
  if (!start) return {.why = fmt::format("the image has no function {}", function)};
  return x86_census(*image, *start);
}

}  // namespace halfmark::backends
