// SPDX-License-Identifier: Apache-2.0
// Any bytes as the input of the JSON verbs: every answer is a line of JSON, and stopping before
// the end of the input means exit code 2 with one line. Runs matrix products with and without
// vector code.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/halfmark/ref_json/ref_json.hpp"

using namespace halfmark;

namespace {

// Large valid shapes would only cost time.
bool is_modest(const std::string& text) {
  int digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 3 && digits < 8) return false;
  }
  return true;
}

template <typename Verb>
std::string answer(const std::string& text, Verb verb) {
  std::istringstream in(text);
  std::ostringstream out;
  std::ostringstream err;
  const int code = verb(in, out, err);
  const std::string words = err.str();
  const bool one_line = !words.empty() && words.find('\n') == words.size() - 1;
  if (code == 0 ? !words.empty() : code != 2 || !one_line) std::abort();
  std::istringstream answers(out.str());
  for (std::string line; std::getline(answers, line);) {
    if (!nlohmann::json::accept(line)) std::abort();
  }
  return out.str();
}

std::string product(const std::string& text, tools::Engine engine) {
  return answer(text, [&](auto& in, auto& out, auto& err) {
    return tools::ref_gemm(in, out, err, {.engine = engine, .threads = 1});
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!is_modest(text)) return 0;
  if (product(text, tools::Engine::kSoft) != product(text, tools::Engine::kAuto)) std::abort();
  (void)answer(text, tools::ref_softmax);
  (void)answer(text, tools::ref_layernorm);
  (void)answer(text, tools::ref_loss_scaled_backward);
  (void)answer(text, tools::ref_gradients);
  (void)answer(text, tools::ref_updates);
  (void)answer(text, tools::ref_loss_scaler);
  (void)answer(text, tools::ref_optimizer);
  return 0;
}
