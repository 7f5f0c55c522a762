// SPDX-License-Identifier: Apache-2.0
//
// Finds and opens one of a vendor's libraries, and binds its symbols. Decides which files to try
// and in which order; refuses stub libraries that exist only for linking.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/shim/calls.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

// Every name to try for the library, in the order that vendor.hpp defines.
[[nodiscard]] std::vector<std::string> candidates(const Library& library);

// "VARIABLE=VALUE" when the user has set the library's variable; else empty.
[[nodiscard]] std::string named_place(const Library& library);

// Replaces the variable in "$NAME/rest" by its value; empty when it is unset. Other text
// is unchanged.
[[nodiscard]] std::string expanded(std::string_view folder);

// The files that the loader maps for the library and its companions, as far as they lie in folders.
[[nodiscard]] std::vector<std::string> companions_of(const std::string& path,
                                                     std::span<const char* const> companions);

class OpenLibrary {
 public:
  // Null when the loader finds no such file. Throws BackendError with the reason when a file exists
  // but cannot be used, and when none of the companions beside it can be opened.
  static OpenLibrary open(const std::string& name, std::span<const char* const> companions = {});
  [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] std::string path() const;  // of the file that was opened
  [[nodiscard]] void* find(const char* symbol) const;
  // Fills the table. Throws BackendError for the first required role without a symbol.
  void bind(std::span<const Symbol> symbols, void* calls) const;
  void keep() { (void)handle_.release(); }  // never unloaded: drivers leave threads running

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Close> handle_;
};

}  // namespace halfmark::backends::shim
