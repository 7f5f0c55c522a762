// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/registered.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace halfmark::backends::opencl {
namespace {

namespace fs = std::filesystem;

class Registered : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/halfmark-registered-XXXXXX";
    folder_ = mkdtemp(name);
    setenv("OCL_ICD_VENDORS", folder_.c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("OCL_ICD_VENDORS");
    unsetenv("OPENCL_VENDOR_PATH");
  }
  void name(const char* file, const char* library) const {
    std::ofstream(folder_ / file) << library << '\n';
  }

  fs::path folder_;
};

TEST_F(Registered, SaysWhatTheLinkerSays) {
  name("good.icd", "libm.so.6");
  name("note.txt", "/nowhere/libnote.so");
  EXPECT_TRUE(drivers_that_do_not_open().empty());
  name("b.icd", "/nowhere/libb.so");
  name("a.icd", "liba-that-is-nowhere.so");
  EXPECT_EQ((std::vector<std::string>{
                (folder_ / "a.icd").string() +
                    " names a driver that cannot be opened: liba-that-is-nowhere.so: cannot open "
                    "shared object file: No such file or directory",
                (folder_ / "b.icd").string() +
                    " names a driver that cannot be opened: /nowhere/libb.so: cannot open shared "
                    "object file: No such file or directory"}),
            drivers_that_do_not_open());
}

TEST_F(Registered, MayBeOneFile) {
  name("a.icd", "/nowhere/liba.so");
  name("b.icd", "/nowhere/libb.so");
  setenv("OCL_ICD_VENDORS", (folder_ / "b.icd").c_str(), 1);
  EXPECT_EQ(1u, drivers_that_do_not_open().size());
}

TEST_F(Registered, LieWhereTheLoaderLooks) {
  setenv("OPENCL_VENDOR_PATH", "/elsewhere", 1);
  EXPECT_EQ(folder_, vendors_folder());
  unsetenv("OCL_ICD_VENDORS");
  EXPECT_EQ("/elsewhere", vendors_folder());
  unsetenv("OPENCL_VENDOR_PATH");
  EXPECT_EQ("/etc/OpenCL/vendors", vendors_folder());
}

}  // namespace
}  // namespace halfmark::backends::opencl
