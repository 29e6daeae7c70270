// SPDX-License-Identifier: MIT
#include "agent/runner/runnerheartbeat.h"

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace ringside::runner {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBeat{1'000};
/// Together with noticing the runner's death within 5 s this stays below the 10 s that are promised.
constexpr milliseconds kGraceOfOrphans{4'000};

/// All of one length, so that one write replaces another whole: "held 0000000000000007".
std::string line(const char* word, std::uint64_t number)
{
    return fmt::format("{} {:016}\n", word, number);
}

/// Closed after each write: that is what makes it visible on the other clients of an NFS server.
bool write(const fs::path& file, const std::string& text, int flags = 0)
{
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600);
    if (fd < 0)
        return false;
    const bool written = ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    return ::close(fd) == 0 && written;
}

} // namespace

struct RunnerHeartbeat::Writer
{
    fs::path file;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<milliseconds> grace; ///< once it is to be let go
    std::jthread thread;

    void beat(std::stop_token ending)
    {
        std::unique_lock lock(mutex);
        for (std::uint64_t count = 1; !grace && !ending.stop_requested(); ++count) {
            lock.unlock();
            write(file, line("held", count));
            lock.lock();
            changed.wait_for(lock, ending, kBeat, [this] { return grace.has_value(); });
        }
        if (grace)
            write(file, line("stop", static_cast<std::uint64_t>(grace->count())));
    }
};

RunnerHeartbeat::RunnerHeartbeat(std::unique_ptr<Writer> writer)
    : m_writer(std::move(writer))
{
}
RunnerHeartbeat::RunnerHeartbeat(RunnerHeartbeat&&) noexcept = default;
RunnerHeartbeat& RunnerHeartbeat::operator=(RunnerHeartbeat&&) noexcept = default;
RunnerHeartbeat::~RunnerHeartbeat() = default;

Result<RunnerHeartbeat> RunnerHeartbeat::make(const fs::path& file)
{
    auto writer = std::make_unique<Writer>();
    writer->file = file;
    if (!write(file, line("held", 0), O_CREAT | O_EXCL))
        return tl::unexpected(systemError("cannot write", file, errno));
    writer->thread = std::jthread([raw = writer.get()](std::stop_token ending) { raw->beat(std::move(ending)); });
    return RunnerHeartbeat(std::move(writer));
}

void RunnerHeartbeat::stop(milliseconds grace)
{
    const std::lock_guard lock(m_writer->mutex);
    if (!m_writer->grace)
        m_writer->grace = grace;
    m_writer->changed.notify_all();
}

std::optional<milliseconds> RunnerHeartbeatReader::look()
{
    const std::string text = readFile(m_file, 4096).value_or(m_last); // unreadable: nothing new
    if (text.starts_with("stop "))
        return milliseconds(std::atoll(text.c_str() + 5));
    m_unchanged = text == m_last ? m_unchanged + 1 : 0;
    m_last = text;
    if (m_unchanged >= m_patience)
        return kGraceOfOrphans;
    return std::nullopt;
}

} // namespace ringside::runner
