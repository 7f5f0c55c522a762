// SPDX-License-Identifier: Apache-2.0
//
// The compiler as a child process and the cache before it.
#include <algorithm>
#include <iterator>

#include "backends/host/child.hpp"
#include "backends/host/host_test.hpp"
#include "backends/host/image_cache.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnswer = "HM_KERNEL test(HM_GLOBAL int* out) { out[0] = HM_ANSWER; }\n";

// A compiler that leaves a line in a file whenever it compiles.
class CountingCompiler {
 public:
  explicit CountingCompiler(const fs::path& directory)
      : script_(directory / "counting"), log_(directory / "log") {
    const char* real = std::getenv("HALFMARK_CXX");
    std::ofstream(script_) << "#!/bin/sh\ncase \"$*\" in *-shared*) echo run >> " << log_.string()
                           << ";; esac\nexec " << (real == nullptr ? "c++" : real) << " \"$@\"\n";
    fs::permissions(script_, fs::perms::owner_all);
  }
  [[nodiscard]] std::string command() const { return script_.string(); }
  [[nodiscard]] long runs() const {
    std::ifstream stream(log_);
    return std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
  }

 private:
  fs::path script_, log_;
};

class CompileTest : public HostTest {
 protected:
  [[nodiscard]] static int answer(DriverDevice& device, const std::string& value) {
    const std::vector<Define> defines = {{"HM_ANSWER", value}};
    const auto buffer = device.allocate(4);
    const std::vector<DriverArgument> arguments = {buffer.get()};
    device.build(kAnswer, defines)->launch("test", {}, arguments);
    std::vector<int> read(1);
    download(*buffer, read);
    return read[0];
  }
};

TEST_F(CompileTest, SecondBuildDoesNotRunTheCompiler) {
  const TemporaryDirectory directory;
  const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory.path() / "cache").string());
  const CountingCompiler compiler(directory.path());
  const ScopedVariable command("HALFMARK_CXX", compiler.command());
  EXPECT_EQ(answer(*open(), "41"), 41);
  EXPECT_EQ(compiler.runs(), 1);
  EXPECT_EQ(answer(*open(), "41"), 41);
  EXPECT_EQ(compiler.runs(), 1);
  EXPECT_EQ(answer(*open(), "42"), 42);
  EXPECT_EQ(compiler.runs(), 2);
}

TEST_F(CompileTest, DamagedImageIsMadeAgain) {
  const TemporaryDirectory directory;
  const ScopedVariable cache("HALFMARK_CACHE_DIR", (directory.path() / "cache").string());
  EXPECT_EQ(answer(*open(), "5"), 5);
  int images = 0;
  for (const auto& entry : fs::directory_iterator(directory.path() / "cache/host")) {
    ++images;
    EXPECT_EQ(entry.path().extension(), ".so");
    fs::remove(entry.path());
    std::ofstream(entry.path()) << "not an image";
  }
  EXPECT_EQ(images, 1);
  EXPECT_EQ(answer(*open(), "5"), 5);
}

TEST_F(CompileTest, DirectoryOfOthersIsNotUsed) {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "host");
  fs::permissions(directory.path() / "host", fs::perms::all);
  const ScopedVariable variable("HALFMARK_CACHE_DIR", directory.path().string());
  fs::path used;
  {
    const ImageCache cache;
    used = cache.directory();
    EXPECT_NE(used, directory.path() / "host");
    EXPECT_TRUE(fs::is_directory(used));
    EXPECT_EQ(answer(*open(), "6"), 6);
  }
  EXPECT_FALSE(fs::exists(used));
}

TEST_F(CompileTest, CompileErrorShowsTheLogWithTheLine) {
  const std::string log = error_of([&] {
    (void)open()->build("\n\nHM_KERNEL test(HM_GLOBAL int* out) { out[0] = nonsense; }\n", {});
  });
  EXPECT_NE(log.find("kernel.hk:3"), std::string::npos) << log;
  EXPECT_NE(log.find("nonsense"), std::string::npos) << log;
}

TEST_F(CompileTest, ForeignArgumentTypesDoNotBuild) {
  EXPECT_NE(error_of([&] { (void)open()->build("HM_KERNEL test(double d) { (void)d; }\n", {}); }),
            "");
}

TEST_F(CompileTest, MissingCompilerIsOneLineWithTheRemedy) {
  const ScopedVariable command("HALFMARK_CXX", "/nonexistent/c++");
  const auto driver = make_driver();
  EXPECT_EQ(driver->status(),
            "HALFMARK_CXX='/nonexistent/c++' does not run; install g++ or clang++, or set "
            "HALFMARK_CXX to the command of a "
            "C++ compiler");
  EXPECT_TRUE(driver->devices().empty());
  EXPECT_EQ(error_of([&] { (void)driver->open(0, nlohmann::json::object()); }), driver->status());
}

TEST_F(CompileTest, CommandMayHaveArguments) {
  const char* real = std::getenv("HALFMARK_CXX");
  const ScopedVariable command("HALFMARK_CXX",
                               std::string("env ") + (real == nullptr ? "c++" : real));
  EXPECT_EQ(answer(*open(), "7"), 7);
}

TEST_F(CompileTest, ImageIsALibrary) {
  const std::vector<Define> defines = {{"HM_ANSWER", "8"}};
  const auto program = open()->build(kAnswer, defines);
  ASSERT_GT(program->image().size(), 4u);
  EXPECT_EQ(std::memcmp(program->image().data(), "\177ELF", 4), 0);
}

TEST_F(CompileTest, ChildReportsStatusSignalAndOutput) {
  const std::vector<std::string> exits = {"sh", "-c", "echo out; echo err >&2; exit 3"};
  EXPECT_EQ(run_child(exits).exit_status, 3);
  EXPECT_EQ(run_child(exits).output, "out\nerr\n");
  const std::vector<std::string> killed = {"sh", "-c", "kill -9 $$"};
  EXPECT_EQ(run_child(killed).exit_status, 128 + 9);
  const std::vector<std::string> absent = {"/nonexistent/program"};
  EXPECT_THROW((void)run_child(absent), BackendError);
}

TEST_F(CompileTest, KeySeesEveryPartAndTheBorderBetweenThem) {
  const auto key = [](std::vector<std::string> parts) { return content_key(parts); };
  EXPECT_EQ(key({"a", "b"}), key({"a", "b"}));
  EXPECT_NE(key({"a", "b"}), key({"ab", ""}));
  EXPECT_NE(key({"a", "b"}), key({"b", "a"}));
  EXPECT_EQ(key({"a"}).size(), 32u);
}

}  // namespace
}  // namespace halfmark::backends::host
