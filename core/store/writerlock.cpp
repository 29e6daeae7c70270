// SPDX-License-Identifier: MIT
#include "core/store/writerlock.h"

#include "core/base/clock.h"
#include "core/base/networklinks.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <cerrno>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace ringside::store {

namespace {

fs::path lockFile(const fs::path& store)
{
    return fileItself(store).string() + "-lock";
}

struct flock wholeFile(short type)
{
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

std::string describeThisProcess()
{
    return nlohmann::json{{"program", program_invocation_short_name},
                          {"pid", ::getpid()},
                          {"host", hostName()},
                          {"since", isoTime(wallNs())}}
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + // names of any bytes
           "\n";
}

Writer parseWriter(const std::string& text)
{
    Writer writer;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return writer;
    const auto field = [&](const char* name) {
        const auto found = json.find(name);
        return found != json.end() && found->is_string() ? plainText(found->get<std::string>()) : std::string();
    };
    writer = {field("program"), 0, field("host"), field("since")};
    if (json.contains("pid") && json["pid"].is_number_integer())
        writer.pid = json["pid"].get<std::int64_t>();
    return writer;
}

std::string readText(int fd)
{
    char text[1024];
    const ssize_t n = ::pread(fd, text, sizeof text, 0);
    return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : std::string();
}

// The message names the database, as the user does, not the lock beside it.

Error cannotLock(const fs::path& store, int errnoValue)
{
    return systemError(Words::noop("cannot lock the database"), store, errnoValue);
}

Error busy(const fs::path& store, const Writer& holder)
{
    return {ErrorCode::busy, Words::tr("{} is in use by {}.", store.string(), holder.text()),
            Words::tr("End that program first. Until then the database can only be read.")};
}

} // namespace

fs::path fileItself(fs::path store)
{
    constexpr int kMostLinks = 40; // as the kernel follows
    std::error_code problem;
    for (int links = 0; links < kMostLinks && fs::is_symlink(store, problem); ++links)
        store = store.parent_path() / fs::read_symlink(store, problem);
    return store;
}

std::string Writer::text() const
{
    if (program.empty())
        return Words::tr("another program");
    return Words::tr("{} (process {} on {}, since {})", program, pid, host, since);
}

Result<std::optional<Writer>> writerOf(const fs::path& store)
{
    const fs::path path = lockFile(store);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a pipe has no writer
    if (file.get() < 0 && errno == ENOENT)
        return std::optional<Writer>();
    if (file.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot see who writes the database"), store, errno));
    struct flock probe = wholeFile(F_RDLCK); // read-only descriptor: a read lock is all that may be asked about
    if (::fcntl(file.get(), F_OFD_GETLK, &probe) != 0 || probe.l_type == F_UNLCK)
        return std::optional<Writer>();
    return std::optional(parseWriter(readText(file.get())));
}

Result<WriterLock> WriterLock::acquire(const fs::path& store)
{
    const fs::path path = lockFile(store);
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    const int fd = file.get();
    if (fd < 0)
        return tl::unexpected(cannotLock(store, errno));
    const std::string before = readText(fd);
    struct flock lock = wholeFile(F_WRLCK);
    if (::fcntl(fd, F_OFD_SETLK, &lock) != 0)
        return tl::unexpected(errno == EAGAIN || errno == EACCES ? busy(store, parseWriter(before))
                                                                 : cannotLock(store, errno));
    WriterLock held(std::move(file), !readText(fd).empty());
    const std::string text = describeThisProcess();
    // Not emptied first: on a full disk it would stay so, as after an orderly end.
    if (::pwrite(fd, text.data(), text.size(), 0) < 0 || ::ftruncate(fd, static_cast<off_t>(text.size())) != 0)
        return tl::unexpected(cannotLock(store, errno));
    return held;
}

/// An emptied file says that the end was orderly; the file itself stays, or two writers could lock two files.
/// A holder that refuses a damaged database leaves it to the next one to check.
WriterLock::~WriterLock()
{
    const bool isOrderly = m_isOpened || !m_afterUncleanExit;
    if (m_file.get() >= 0 && isOrderly) [[maybe_unused]]
        const int emptied = ::ftruncate(m_file.get(), 0);
}

} // namespace ringside::store
