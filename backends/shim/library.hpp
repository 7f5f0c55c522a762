// SPDX-License-Identifier: Apache-2.0
//
// Finds and opens one of a vendor's libraries, and binds its symbols. Decides which files are tried
// and in which order; refuses libraries that exist only for linking.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/shim/calls.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

// Every name under which the library may be opened, in the order of vendor.hpp.
[[nodiscard]] std::vector<std::string> candidates(const Library& library);

// "VARIABLE=VALUE" where the user has named the place to look at; else empty.
[[nodiscard]] std::string named_place(const Library& library);

// "$NAME/rest" with the variable's value, empty when it is not set; other text as it is.
[[nodiscard]] std::string expanded(std::string_view folder);

class OpenLibrary {
 public:
  // Null when the loader finds no such file. Throws BackendError when there is one that cannot be
  // used, with the reason.
  static OpenLibrary open(const std::string& name);
  [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] std::string path() const;  // of the file that was opened
  [[nodiscard]] void* find(const char* symbol) const;
  // Fills the table. Throws BackendError for the first required role without a symbol.
  void bind(std::span<const Symbol> symbols, void* calls) const;
  void keep() { (void)handle_.release(); }  // drivers leave threads behind: never unloaded

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Close> handle_;
};

}  // namespace halfmark::backends::shim
