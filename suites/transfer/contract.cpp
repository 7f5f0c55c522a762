// SPDX-License-Identifier: Apache-2.0
#include "suites/transfer/binding.hpp"

namespace halfmark::suites::transfer {
namespace {

constexpr std::string_view kSource =
    "OpenCL 1.2, 5.2.2 clEnqueueWriteBuffer and clEnqueueReadBuffer: cb bytes from offset on are "
    "copied, and a blocking call returns when they are; Halfmark's backends/abi.h: write and read";

constexpr ContractRow row(std::string_view id, std::string_view promise) {
  return {.id = id, .tier = Tier::kExact, .promise = promise, .source = kSource};
}

constexpr ContractRow kWhole =
    row("transfer.whole",
        "a range of memory holds the bytes that were written to it last, a read-back gives them, "
        "and neither changes a byte outside of it");
constexpr ContractRow kInParts =
    row("transfer.in_parts",
        "a range that is written or read in parts holds and gives the same bytes as in one piece, "
        "and no byte outside of it changes");
constexpr ContractRow kRows[] = {kWhole, kInParts};

}  // namespace

std::span<const ContractRow> contract() { return kRows; }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  return kRows[b.upload_part == 0 && b.read_part == 0 ? 0 : 1];
}

}  // namespace halfmark::suites::transfer
