// SPDX-License-Identifier: Apache-2.0
//
// The code of functions that an image only names, in the libraries that this process has loaded: a
// driver that links its kernels to a library of its own has that loaded. Decides nothing about
// instructions.
//
// Assumptions:
//  1. A name that leads to two different functions may mean either, so it leads nowhere.
//  2. The file of a loaded library is still the one that was loaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/code_image.hpp"

namespace halfmark::backends {

// A function, and the code that holds it.
struct CodePlace {
  const CodeImage* image = nullptr;
  std::uint64_t address = 0;

  auto operator<=>(const CodePlace&) const = default;
};

class LoadedCode {
 public:
  explicit LoadedCode(std::uint16_t machine) : machine_(machine) {}  // e_machine

  // What it gives stays as long as this object.
  [[nodiscard]] std::optional<CodePlace> find(const std::string& function);

 private:
  struct Library {
    std::vector<std::byte> bytes;
    std::optional<CodeImage> code;
  };
  const CodeImage* read(const std::string& file);

  std::uint16_t machine_;
  std::map<std::string, Library> libraries_;
};

}  // namespace halfmark::backends
