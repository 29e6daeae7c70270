// SPDX-License-Identifier: MIT
#include "core/remote/transfer/source.h"

#include "core/base/regularfile.h"
#include "core/base/sha256.h"
#include "core/base/words.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace ringside::transfer {

Result<Source> Source::open(const fs::path& path)
{
    TRY_ASSIGN(Descriptor file, openRegularFile(path, Links::followed));
    Source source(path, std::move(file));
    struct stat status
    {
    };
    if (::fstat(source.m_file.get(), &status) != 0)
        return tl::unexpected(systemError(Words::noop("cannot read"), path, errno));
    source.m_size = static_cast<std::uint64_t>(status.st_size);
    return source;
}

Result<std::string> Source::read(std::uint64_t offset, std::size_t size) const
{
    std::string piece(size, '\0');
    const ssize_t n = ::pread(m_file.get(), piece.data(), size, static_cast<off_t>(offset));
    if (n < 0)
        return tl::unexpected(systemError(Words::noop("cannot read"), m_path, errno));
    if (n == 0)
        return fail(ErrorCode::io, Words::tr("{} became shorter while it was sent.", m_path.string()),
                    Words::tr("Try again."));
    piece.resize(static_cast<std::size_t>(n));
    return piece;
}

Result<std::string> Source::sha256() const
{
    return sha256OfFile(m_path);
}

} // namespace ringside::transfer
