// SPDX-License-Identifier: Apache-2.0
//
// Faults of the machine are distinguished from texts that a compiler refuses.
#include "backends/host/compile_text.hpp"
#include "backends/host/host_test.hpp"
#include "backends/host/image_cache.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernel = "HM_KERNEL test(HM_GLOBAL int* out) { out[0] = 1; }\n";

class EnvironmentFaultTest : public HostTest {
 protected:
  // A compiler that answers queries like the real one, and runs `script` to compile.
  [[nodiscard]] std::string compiler(const std::string& script) const {
    const char* real = std::getenv("HALFMARK_CXX");
    const fs::path file = directory_.path() / "compiler";
    std::ofstream(file) << "#!/bin/sh\ncase \"$*\" in *-shared*) " << script << ";; esac\nexec "
                        << (real == nullptr ? "c++" : real) << " \"$@\"\n";
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }
  // The fault message of a build with that compiler and an empty cache.
  [[nodiscard]] std::string fault(const std::string& script) {
    const ScopedVariable command("HALFMARK_CXX", compiler(script));
    const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory_.path() / "cache").string());
    return fault_of([&] { (void)open()->build(kKernel, {}); });
  }
  // Compiles a text with a one-word compiler that runs `script`.
  [[nodiscard]] CompiledText compiled(const std::string& script) const {
    const CompilerCall call{.argv = {"sh", "-c", script, "sh"},
                            .source_name = "text.c",
                            .place = directory_.path(),
                            .remedy = "REMEDY",
                            .room_remedy = "ROOM"};
    return compile_text(call, "source");
  }

  const TemporaryDirectory directory_;
  const std::string quoted_ = "'" + (directory_.path() / "compiler").string() + "'";
  const std::string remedy_ =
      "; install g++ or clang++, or set HALFMARK_CXX to the command of a C++ compiler";
};

TEST_F(EnvironmentFaultTest, ACompilerThatLeavesNoFile) {
  EXPECT_EQ(fault("exit 0"), quoted_ + " reported success but wrote no file" + remedy_);
}

// A different compiler in its place would make a different device.
TEST_F(EnvironmentFaultTest, ACompilerThatIsKilledWhileItIsAskedForItsVersion) {
  const fs::path file = directory_.path() / "c++";
  std::ofstream(file) << "#!/bin/sh\nkill -KILL $$\n";
  fs::permissions(file, fs::perms::owner_all);
  const ScopedVariable command("HALFMARK_CXX", "");
  const ScopedVariable path("PATH", directory_.path().string() + ":" + std::getenv("PATH"));
  try {
    (void)open();
    FAIL() << "opened with another compiler";
  } catch (const BackendError& error) {
    EXPECT_EQ(error.vendor_text, "'c++' was ended by signal 9; run again");
  }
}

TEST_F(EnvironmentFaultTest, ACompilerThatIsGone) {
  const ScopedVariable command("HALFMARK_CXX", compiler(":"));
  const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory_.path() / "cache").string());
  const auto device = open();
  fs::remove(directory_.path() / "compiler");
  EXPECT_EQ(fault_of([&] { (void)device->build(kKernel, {}); }),
            "cannot run " + quoted_ + ": No such file or directory" + remedy_);
}

TEST_F(EnvironmentFaultTest, ACompilerThatCompilesNothing) {
  EXPECT_EQ(fault("echo 'cannot execute cc1plus' >&2; exit 1"),
            "the C++ compiler " + quoted_ +
                " compiles nothing, not even an empty text: cannot execute cc1plus; repair it, set "
                "HALFMARK_CXX to another, or mend HALFMARK_HOST_CXXFLAGS");
}

TEST_F(EnvironmentFaultTest, AnOptionThatNoCompilerKnows) {
  const ScopedVariable flags("HALFMARK_HOST_CXXFLAGS", "-fno-such-option-at-all");
  const std::string text = fault(":");
  EXPECT_NE(text.find("-fno-such-option-at-all"), std::string::npos) << text;
  EXPECT_NE(text.find("mend HALFMARK_HOST_CXXFLAGS"), std::string::npos) << text;
}

TEST_F(EnvironmentFaultTest, WhatACompilerWouldReadAmongTheOptions) {
  for (const char* words :
       {"/usr", "-I /usr/include /dev/full", "-include /dev/full", "-O1 @/dev/zero"}) {
    const ScopedVariable flags("HALFMARK_HOST_CXXFLAGS", words);
    std::string text;
    try {
      (void)open();
    } catch (const std::exception& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("', which is no option and no file or folder behind one"),
              std::string::npos)
        << words << ": " << text;
  }
  const ScopedVariable flags("HALFMARK_HOST_CXXFLAGS", "-I /usr/include -DX=1");
  EXPECT_NO_THROW((void)open());
}

TEST_F(EnvironmentFaultTest, AFullDisk) {
  EXPECT_EQ(
      fault("echo 'some words'; echo 'error writing to x.s: No space left on device'; exit 1"),
      quoted_ +
          " cannot compile here: error writing to x.s: No space left on device; set "
          "HALFMARK_CACHE_DIR to a folder that you own, that has room and that allows "
          "execution");
  EXPECT_EQ(fault_of([] { write_file("/dev/full", "text", "make room"); }),
            "cannot write /dev/full: No space left on device; make room");
}

TEST_F(EnvironmentFaultTest, AnImageThatDoesNotLoad) {
  const std::string text =
      fault("for last; do :; done; echo text >\"$(dirname $last)/image\"; exit");
  EXPECT_TRUE(text.starts_with("what " + quoted_ + " compiled cannot be loaded: ")) << text;
}

TEST_F(EnvironmentFaultTest, NoFolderAtAll) {
  const ScopedVariable cache("HALFMARK_CACHE_DIR", "/proc/absent");
  const ScopedVariable temporary("TMPDIR", "/proc");
  const std::string text = fault_of([&] { (void)open(); });
  EXPECT_TRUE(text.starts_with("no folder for compiled kernels can be made at /proc/halfmark-"))
      << text;
  EXPECT_TRUE(text.ends_with(std::string("; ") + std::string(kFolderRemedy))) << text;
}

TEST_F(EnvironmentFaultTest, OneFolderIsEnough) {
  const ScopedVariable temporary("TMPDIR", "/proc");
  EXPECT_EQ(fault(":"), "");
}

TEST_F(EnvironmentFaultTest, ASignalFromOutsideIsTheMachines) {
  EXPECT_EQ(fault_of([&] { (void)compiled("kill -9 $$"); }), "'sh' ended with signal 9; REMEDY");
  EXPECT_EQ(error_of([&] { (void)compiled("echo oops; kill -11 $$"); }), "oops\n");
}

TEST_F(EnvironmentFaultTest, ATextThatIsRefusedIsNot) {
  EXPECT_EQ(error_of([&] { (void)compiled("echo 'wrong text'; exit 1"); }), "wrong text\n");
  EXPECT_EQ(error_of([&] { (void)compiled("exit 1"); }), "the compiler failed without a word");
}

TEST_F(EnvironmentFaultTest, ACompilerSeesNoVariablesThatChangeWhatItDoes) {
  const ScopedVariable other("CCC_OVERRIDE_OPTIONS", "+-ffast-math");
  const ScopedVariable written("DEPENDENCIES_OUTPUT", (directory_.path() / "written").string());
  const CompiledText made = compiled(
      "echo image >\"$2\"; echo ${CCC_OVERRIDE_OPTIONS-no} ${DEPENDENCIES_OUTPUT-no}; cat \"$3\"; "
      "test \"$TMPDIR\" = \"$(dirname \"$3\")\" && echo ' here'");
  EXPECT_EQ(made.image, "image\n");
  EXPECT_EQ(made.log, "no no\nsource here\n");
}

TEST_F(EnvironmentFaultTest, NumbersThatAreNone) {
  for (const char* text : {"two", "-1", "1x", "0", "1025", "99999999999999999999999", " 1"}) {
    const ScopedVariable threads("HALFMARK_HOST_THREADS", text);
    EXPECT_EQ(make_driver()->status(), std::string("HALFMARK_HOST_THREADS='") + text +
                                           "' is no number from 1 to 1024; give one, or unset it");
    EXPECT_TRUE(make_driver()->devices().empty());
  }
  const ScopedVariable threads("HALFMARK_HOST_THREADS", "0x2");
  EXPECT_EQ(make_driver()->devices().at(0).compute_units, 2u);
  const ScopedVariable shuffle("HALFMARK_HOST_SHUFFLE", "seed");
  EXPECT_NE(make_driver()->status().find("HALFMARK_HOST_SHUFFLE='seed' is no number"),
            std::string::npos);
}

}  // namespace
}  // namespace halfmark::backends::host
