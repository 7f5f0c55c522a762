// SPDX-License-Identifier: Apache-2.0
//
// Machine code that a vendor's compiler has made, kept between runs in `images` of the cache
// folder. The key covers the text, the options, the compiler's content and the variables that it
// reads, not its path, so images that one machine has built serve another one with the same
// compiler.
//
// Assumption: no file or variable changes a compiler's code but those that vendor.hpp names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/shim/compiler.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

class ImageStore {
 public:
  // `content` is compiler_content(); empty: nothing is kept.
  ImageStore(const Vendor& vendor, std::string content)
      : vendor_(vendor), content_(std::move(content)) {}

  [[nodiscard]] std::optional<CompiledText> find(const std::string& text,
                                                 const std::string& architecture) const;
  void keep(const std::string& text, const std::string& architecture,
            const CompiledText& made) const;

 private:
  [[nodiscard]] std::string key_of(const std::string& text, const std::string& architecture) const;

  const Vendor& vendor_;
  std::string content_;
};

}  // namespace halfmark::backends::shim
