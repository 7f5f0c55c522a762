// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/tensor_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "reference/files/descriptor.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY\x01";
constexpr std::size_t kHeaderMultiple = 64;

std::string_view type_of(const formats::Format& format) {
  if (format == formats::kFp16) return "<f2";
  if (format == formats::kFp32) return "<f4";
  if (format == formats::kFp64) return "<f8";
  switch (format.storage_bytes()) {
    case 1:
      return "|u1";
    case 2:
      return "<u2";
    case 4:
      return "<u4";
    default:
      return "<u8";
  }
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  files::Descriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666));
  int error = file.number() < 0 ? errno : files::write_all(file.number(), bytes);
  if (error == 0 && !file.close()) error = EIO;
  if (error != 0)
    throw std::runtime_error(
        fmt::format("{} cannot be written: {}", path.string(), std::strerror(error)));
}

}  // namespace

std::string npy_of(const formats::Tensor& tensor) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                   type_of(*tensor.format), tensor.count());
  const std::size_t before = kMagic.size() + 1 + 2;  // minor version, length
  while ((before + header.size() + 1) % kHeaderMultiple != 0) header += ' ';
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return bytes;
}

std::vector<std::string> write_tensors(Session& session, const Case& c,
                                       const std::filesystem::path& folder) {
  const auto problem = find_suite(c.suite).bind(c);
  const Plan plan = problem->plan(session.device().info());
  if (plan.needs) throw std::runtime_error(fmt::format("{} is not offered", *plan.needs));
  if (plan.no_provider) throw std::runtime_error(*plan.no_provider);
  const TensorSet inputs = problem->inputs();
  const DeviceResult got = execute(session, plan, inputs);
  if (got.not_supported) throw std::runtime_error(*got.not_supported);
  if (got.error) throw std::runtime_error(got.error->text);
  std::vector<std::string> names;
  const auto write_all = [&](std::string_view role, const TensorSet& tensors) {
    for (const auto& [name, tensor] : tensors) {
      names.push_back(fmt::format("{}.{}.npy", role, name));
      write_file(folder / names.back(), npy_of(tensor));
    }
  };
  write_all("operand", inputs);
  write_all("result", got.outputs);
  write_all("expected", problem->expect_beside(inputs, got.outputs).middle);
  return names;
}

}  // namespace halfmark::suites
