// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/offline_compiler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/host/child.hpp"
#include "backends/host/scratch_folder.hpp"
#include "backends/shim/library.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;

// A private folder that is gone with the scope.
class ScratchFolder {
 public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_ =
      host::make_scratch_folder("the compiler's files", "set TMPDIR to one that you own");
};

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string find_offline_compiler(const Vendor& vendor) {
  const OfflineCompiler& compiler = vendor.offline_compiler;
  if (compiler.command == nullptr) return {};
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(fs::path(folder) / compiler.command)) return compiler.command;
  }
  for (const char* folder : compiler.folders) {
    const fs::path program = fs::path(expanded(folder)) / compiler.command;
    if (is_program(program)) return program.string();
  }
  return {};
}

Image compile_offline(const Vendor& vendor, const std::string& command, const std::string& source,
                      std::span<const std::string> options) {
  const ScratchFolder folder;
  const fs::path text = folder.path() / fmt::format("halfmark{}", vendor.kernel_suffix);
  const fs::path target = folder.path() / "image";
  std::ofstream(text, std::ios::binary) << source;
  std::vector<std::string> argv{command};
  for (const char* option : vendor.offline_compiler.options) argv.emplace_back(option);
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"-o", target.string(), text.string()});
  host::ChildResult result = host::run_child(argv);
  Image image{.bytes = bytes_of(target), .log = std::move(result.output)};
  if (result.exit_status != 0 || image.bytes.empty()) {
    throw BackendError(
        command, result.exit_status,
        image.log.empty() ? "the compiler made no image and says nothing" : image.log);
  }
  return image;
}

}  // namespace halfmark::backends::shim
