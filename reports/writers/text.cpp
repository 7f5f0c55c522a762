// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/text/visible.hpp"

namespace halfmark::reports {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

bool is_numeric(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789,.- ") == std::string_view::npos;
}

std::string padded(std::string_view cell, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, width_of(cell)), ' ');
  return right ? blanks + std::string(cell) : std::string(cell) + blanks;
}

}  // namespace

std::string escape_markup(std::string_view foreign) {
  const std::string text = text::visible(foreign);
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    switch (text[i]) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
          safe += kReplacement;
          i += 2;
        } else {
          safe += text[i];
        }
    }
  }
  return safe;
}

std::string escape_markdown(std::string_view foreign) {
  std::string safe;
  for (const char c : text::visible(foreign)) {
    if (c == '\n' || c == '\t') {
      safe += ' ';
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else {
      if (std::string_view("\\`*_[]|~#>").find(c) != std::string_view::npos) safe += '\\';
      safe += c;
    }
  }
  return safe;
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string plural(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string significant(double number) {
  if (!std::isfinite(number) || number < 0) return fmt::format("{}", number);
  if (number >= 999.5) return grouped(static_cast<std::uint64_t>(std::llround(number)));
  if (number >= 99.95) return fmt::format("{:.0f}", number);
  return number >= 9.995 ? fmt::format("{:.1f}", number) : fmt::format("{:.2f}", number);
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part < whole && percent >= 99.95) return "over 99.9 %";
  if (part > 0 && percent < 0.01) return "under 0.01 %";
  return significant(percent) + " %";
}

std::string duration(double elapsed_ns) {
  if (elapsed_ns < 1e3) return significant(elapsed_ns) + " ns";
  if (elapsed_ns < 1e6) return significant(elapsed_ns / 1e3) + " us";
  if (elapsed_ns < 1e9) return significant(elapsed_ns / 1e6) + " ms";
  return significant(elapsed_ns / 1e9) + " s";
}

std::string ulps_text(std::uint64_t ulps) {
  return ulps == std::numeric_limits<std::uint64_t>::max() ? "no distance (NaN)"
                                                           : plural(ulps, "ulp");
}

std::string joined(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string short_digest(std::string_view digest) { return std::string(digest.substr(0, 12)); }

void TextTable::print(std::ostream& out, std::string_view indent) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  std::vector<bool> right(widths.size(), rows_.size() > 1);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], width_of(rows_[r][c]));
      if (r > 0 && !rows_[r][c].empty()) right[c] = right[c] && is_numeric(rows_[r][c]);
    }
  }
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t c = 0; c < widths.size(); ++c) {
      line += (c ? "  " : "") + padded(row[c], widths[c], c > 0 && right[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + width_of(word) > width) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width_of(word);
  }
  return result;
}

}  // namespace halfmark::reports
