// SPDX-License-Identifier: MIT
#include "agent/drivers/driverfolder.h"

#include "core/base/ids.h"
#include "core/base/sha256.h"
#include "core/protocol/layout.h"

#include <cerrno>

namespace ringside {

namespace {

constexpr std::size_t kHashLength = 12;

std::string hashOfAll()
{
    std::string all = kRecordsFolder; // as it is laid out
    for (const DriverFile& file : driverFiles())
        all.append(file.name).append(1, '\0').append(file.text).append(1, '\0');
    return sha256Of(all).substr(0, kHashLength);
}

} // namespace

Result<fs::path> driverFolder(const fs::path& root)
{
    const fs::path parent = layout::driversFolder(root), folder = parent / hashOfAll();
    std::error_code none;
    if (fs::is_directory(folder, none))
        return folder;
    const fs::path part = parent / (randomUuid() + ".part");
    TRY(makePrivateFolder(part));
    for (const DriverFile& file : driverFiles()) {
        TRY(makePrivateFolder((part / file.name).parent_path()));
        TRY(writeFileAtomically(part / file.name, file.text));
    }
    constexpr const char* kRecords = "ringside_records.py";
    TRY(makePrivateFolder(part / kRecordsFolder));
    fs::create_symlink(fs::path("..") / kRecords, part / kRecordsFolder / kRecords, none);
    if (none)
        return tl::unexpected(systemError("cannot make", part / kRecordsFolder / kRecords, none.value()));
    const bool isNamed = ::rename(part.c_str(), folder.c_str()) == 0; // else another one was quicker
    const int why = errno;
    if (!isNamed)
        fs::remove_all(part, none);
    if (!isNamed && !fs::is_directory(folder, none))
        return tl::unexpected(systemError("cannot name", folder, why));
    return folder;
}

} // namespace ringside
