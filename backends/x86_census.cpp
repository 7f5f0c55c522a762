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

#include "backends/innermost_loops.hpp"
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

// A function of the kernel, and what is known of it so far.
struct Member {
  X86Function code;
  bool has_loop = false;  // it, or what it calls
  std::vector<bool> innermost = {};
  bool in_loop = false;  // it is called in an innermost loop
};

class Count {
 public:
  explicit Count(const CodeImage& image) : image_(image) {}

  CensusReading from(std::uint64_t start) {
    gather(start);
    if (!reading_.why.empty()) return {.why = reading_.why};
    find_loops();
    reading_.census = Census{};
    reading_.in_loops = Census{};
    for (const auto& [address, member] : members_) sum(member);
    return std::move(reading_);
  }

 private:
  void gather(std::uint64_t start) {
    std::vector<std::uint64_t> open = {start};
    while (!open.empty() && reading_.why.empty()) {
      const std::uint64_t address = open.back();
      open.pop_back();
      if (members_.contains(address)) continue;
      Member& member = members_[address];
      member.code = read_x86_function(image_, address);
      member.has_loop = has_loop(member.code.flow.successors);
      reading_.why = member.code.flow.why;
      for (const X86Call& call : member.code.calls) {
        if (call.target.kind == Target::Kind::kAddress) open.push_back(call.target.address);
        note_unresolved(call);
      }
    }
  }

  void note_unresolved(const X86Call& call) {
    if (call.target.kind == Target::Kind::kUnknown) reading_.unresolved_calls.insert(call.words);
    if (call.target.kind == Target::Kind::kName && !holds(kConversions, call.target.name) &&
        !holds(kWithoutArithmetic, call.target.name))
      reading_.unresolved_calls.insert(call.target.name);
  }

  // Null where the image does not hold it.
  Member* called(const X86Call& call) {
    const auto found = members_.find(call.target.address);
    const bool is_here = call.target.kind == Target::Kind::kAddress && found != members_.end();
    return is_here ? &found->second : nullptr;
  }

  // Repeats `step` for every call until no call changes anything.
  template <typename Step>
  void settle(Step step) {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [address, member] : members_) {
        for (const X86Call& call : member.code.calls) {
          if (Member* other = called(call)) changed |= step(member, *other, call);
        }
      }
    }
  }

  void find_loops() {
    settle([](Member& caller, const Member& other, const X86Call&) {
      return other.has_loop && !std::exchange(caller.has_loop, true);
    });
    for (auto& [address, member] : members_) {
      std::vector<bool> around(member.code.flow.steps.size());
      for (const X86Call& call : member.code.calls) {
        const Member* other = called(call);
        if (other != nullptr && other->has_loop) around[call.step] = true;
      }
      member.innermost = in_innermost_loops(member.code.flow.successors, around);
    }
    settle([](const Member& caller, Member& other, const X86Call& call) {
      const bool in_loop = caller.in_loop || caller.innermost[call.step];
      return in_loop && !std::exchange(other.in_loop, true);
    });
  }

  void sum(const Member& member) {
    const std::vector<X86Step>& steps = member.code.flow.steps;
    std::vector<Census> counted;
    for (const X86Step& step : steps) counted.push_back(step.instruction.counted);
    for (const X86Call& call : member.code.calls) {
      if (holds(kConversions, call.target.name)) counted[call.step] = {.conversions = 1};
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
      add(steps[i].address, counted[i], member.in_loop || member.innermost[i]);
  }

  // Functions share what they jump to.
  void add(std::uint64_t address, const Census& counted, bool in_loop) {
    if (all_.insert(address).second) *reading_.census += counted;
    if (in_loop && in_loops_.insert(address).second) *reading_.in_loops += counted;
  }

  const CodeImage& image_;
  std::map<std::uint64_t, Member> members_;
  std::set<std::uint64_t> all_, in_loops_;  // addresses that are counted already
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
