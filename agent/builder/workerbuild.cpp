// SPDX-License-Identifier: MIT
#include "agent/builder/workerbuild.h"

#include "agent/builder/resources.h"
#include "core/base/clock.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/protocol/layout.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

namespace ringside::builder {

namespace {

constexpr int kWorkerFormat = 1;
constexpr std::chrono::seconds kFeaturesLimit{120}; // torch from a cold network disk
constexpr std::size_t kLogLinesTold = 15;
constexpr std::pair<int, int> kCompileRange{10, 95};

std::string machine()
{
    utsname names{};
    ::uname(&names);
    return names.machine;
}

/// The error of a build, from the output of its programs.
Error buildError(const char* step, const std::string& said, const fs::path& log)
{
    const auto saidAny = [&](std::initializer_list<const char*> words) {
        return std::ranges::any_of(words, [&](const char* word) { return said.find(word) != std::string::npos; });
    };
    const std::string told = fmt::format("{} (log: {}):\n{}", step, log.string(), lastLines(said, kLogLinesTold));
    if (saysDiskFull(said))
        return {ErrorCode::noSpace, told,
                fmt::format("Free some space there; a build needs {} MB.", kBuildBytes / 1'000'000)};
    if (saidAny({"Killed signal terminated program", "virtual memory exhausted", "out of memory"}))
        return {ErrorCode::unavailable, told,
                "The compiler ran out of memory: build on a machine with more, or in a job."};
    return {ErrorCode::unavailable, told, "Check the modules; the log has all of it."};
}

class Steps
{
public:
    Steps(const Ingredients& ingredients, const BuildClaim& claim, fs::path worker, const Deadline& deadline,
          const Report& report)
        : m_from(ingredients)
        , m_claim(claim)
        , m_worker(std::move(worker))
        , m_deadline(deadline)
        , m_report(report)
        , m_log(layout::buildLog(m_worker), std::ios::trunc)
    {
    }

    Result<void> unpack()
    {
        report({"unpack", 5, "Unpacking the source"});
        return step("The source could not be unpacked",
                    {m_from.tools.cmake.path, "-E", "tar", "xzf", m_from.source.string()});
    }

    Result<void> configure()
    {
        report(
            {"configure", 7,
             fmt::format("Configuring with g++ {} and torch {}", m_from.tools.compiler.version, m_from.torch.version)});
        std::vector<std::string> command{m_from.tools.cmake.path,
                                         "-S",
                                         "agent/worker",
                                         "-B",
                                         "build",
                                         "-G",
                                         m_from.tools.generator,
                                         "-DCMAKE_MAKE_PROGRAM=" + m_from.tools.maker,
                                         "-DCMAKE_CXX_COMPILER=" + m_from.tools.compiler.path,
                                         "-DCMAKE_BUILD_TYPE=Release",
                                         "-DRINGSIDE_TORCH=" + m_from.torch.folder.string(),
                                         "-DCCACHE="}; // its cache would be in the home folder, which has a quota
        if (const std::string option = runtimePathOption(m_from.tools.compiler, m_deadline); !option.empty())
            command.push_back("-DCMAKE_EXE_LINKER_FLAGS=" + option);
        return step("CMake could not configure the worker", command);
    }

    Result<void> compile(int jobs)
    {
        report({"compile", kCompileRange.first, fmt::format("Compiling with {} jobs", jobs)});
        return step("The worker could not be compiled", {m_from.tools.cmake.path, "--build", "build", "--target",
                                                         "ringside-worker", "--parallel", std::to_string(jobs)});
    }

    Result<BuiltWorker> prove()
    {
        report({"prove", 96, "Running the worker"});
        const fs::path built = m_claim.scratch() / "build/bin/ringside-worker";
        TRY_ASSIGN(std::string features, featuresOf(built, m_deadline));
        const fs::path program = layout::workerProgram(m_worker);
        TRY(putCompanions(built.parent_path()));
        if (::rename(built.c_str(), program.c_str()) != 0)
            return tl::unexpected(systemError("cannot put the worker to", program, errno));
        const nlohmann::json worker{{"format", kWorkerFormat},
                                    {"key", m_from.key()},
                                    {"from", m_from.facts()},
                                    {"built_ns", wallNs()},
                                    {"features", nlohmann::json::parse(features)}};
        TRY(writeFileAtomically(layout::workerFile(m_worker),
                                worker.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)));
        return BuiltWorker{program, m_from.key(), std::move(features)};
    }

private:
    /// The log comes first: those who wait, and `m_report`, read on in it.
    void report(const Progress& progress)
    {
        m_log.flush();
        m_claim.note(progress);
        m_report(progress);
    }

    /// Moves the files that the program looks for beside itself, and so before it. Plug-ins are there where CUDA was
    /// found.
    Result<void> putCompanions(const fs::path& from)
    {
        for (const auto& companion : {layout::workerCudaPlugin, layout::workerGraphPlugin, layout::gpuLoadProgram})
            if (::rename(companion(from).c_str(), companion(m_worker).c_str()) != 0 && errno != ENOENT)
                return tl::unexpected(systemError("cannot put beside the worker", companion(m_worker), errno));
        return {};
    }

    void take(std::string_view line)
    {
        m_log << line << '\n';
        if (const auto percent = compilePercent(line))
            report({"compile", *percent, plainText(line)});
    }

    Result<void> step(const char* what, const std::vector<std::string>& command)
    {
        m_log << "$ " << fmt::format("{}", fmt::join(command, " ")) << '\n';
        const auto onLine = [this](std::string_view line) { take(line); };
        TRY_ASSIGN(const Answer answer,
                   run(command, m_deadline, {.folder = m_claim.scratch(), .withErrors = true, .onLine = onLine}));
        m_log.flush();
        if (!answer.good())
            return tl::unexpected(buildError(what, answer.output, layout::buildLog(m_worker)));
        return {};
    }

    const Ingredients& m_from;
    const BuildClaim& m_claim;
    fs::path m_worker;
    Deadline m_deadline;
    const Report& m_report;
    std::ofstream m_log;
};

} // namespace

std::map<std::string, std::string> Ingredients::facts() const
{
    return {{"source", sourceHash},
            {"torch", torch.version},
            {"torch_folder", torch.folder.string()},
            {"compiler", tools.compiler.version},
            {"compiler_path", tools.compiler.path},
            {"mpi", tools.mpi.version},
            {"mpi_path", tools.mpi.path},
            {"cuda", tools.cuda.version},
            {"arch", machine()}};
}

std::string Ingredients::key() const
{
    std::string text;
    for (const auto& [name, value] : facts())
        text += name + "=" + value + "\n";
    return sha256Of(text).substr(0, 16);
}

Result<std::string> featuresOf(const fs::path& program, const Deadline& deadline)
{
    TRY_ASSIGN(const Answer answer, run({program.string(), "features"}, deadline.atMost(kFeaturesLimit), {}));
    if (answer.good() && nlohmann::json::parse(answer.output, nullptr, false).is_object())
        return answer.output;
    return fail(ErrorCode::unavailable,
                fmt::format("{} does not run here (exit code {}): {}", program.string(), answer.code,
                            lastLines(answer.output + answer.errors, 5)),
                "Its torch may have gone or changed; build it again.");
}

Result<BuiltWorker> buildWorker(const Ingredients& ingredients, const BuildClaim& claim, const fs::path& worker,
                                int jobs, const Deadline& deadline, const Report& report)
{
    Steps steps(ingredients, claim, worker, deadline, report);
    TRY(steps.unpack());
    TRY(steps.configure());
    TRY(steps.compile(jobs));
    return steps.prove();
}

std::optional<int> compilePercent(std::string_view line)
{
    if (!line.starts_with('['))
        return std::nullopt;
    line.remove_prefix(std::min(line.find_first_not_of("[ "), line.size()));
    double done = 0;
    double all = 100;
    const char* end = line.data() + line.size();
    const auto first = std::from_chars(line.data(), end, done);
    if (first.ec != std::errc{} || first.ptr == end || (*first.ptr != '/' && *first.ptr != '%'))
        return std::nullopt;
    if (*first.ptr == '/' && std::from_chars(first.ptr + 1, end, all).ec != std::errc{})
        return std::nullopt;
    const double share = all > 0 ? std::clamp(done / all, 0.0, 1.0) : 0;
    return kCompileRange.first + static_cast<int>(share * (kCompileRange.second - kCompileRange.first));
}

} // namespace ringside::builder
