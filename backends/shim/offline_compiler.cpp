// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/offline_compiler.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/host/child.hpp"
#include "backends/host/compile_text.hpp"
#include "backends/shim/library.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRemedy = "reinstall it, or install the vendor's run-time compiler";
constexpr std::string_view kRoomRemedy = "set TMPDIR to a folder that you own and that has room";

}  // namespace

std::string find_offline_compiler(const Vendor& vendor) {
  const OfflineCompiler& compiler = vendor.offline_compiler;
  if (compiler.command == nullptr) return {};
  if (!host::program_of(compiler.command).empty()) return compiler.command;
  for (const char* folder : compiler.folders) {
    const std::string program =
        host::program_of((fs::path(expanded(folder)) / compiler.command).string());
    if (!program.empty()) return program;
  }
  return {};
}

Image compile_offline(const Vendor& vendor, const std::string& command, const std::string& source,
                      std::span<const std::string> options) {
  std::vector<std::string> argv{command};
  for (const char* option : vendor.offline_compiler.options) argv.emplace_back(option);
  argv.insert(argv.end(), options.begin(), options.end());
  host::CompiledText made =
      host::compile_text({.argv = std::move(argv),
                          .source_name = fmt::format("halfmark{}", vendor.kernel_suffix),
                          .place = {},
                          .remedy = kRemedy,
                          .room_remedy = kRoomRemedy},
                         source);
  return {.bytes = std::move(made.image), .log = std::move(made.log)};
}

}  // namespace halfmark::backends::shim
