// SPDX-License-Identifier: MIT
#include "agent/worker/data/records.h"

#include "core/base/text.h"
#include "core/protocol/bytes.h"
#include "core/protocol/checksum.h"
#include "core/protocol/layout.h"

namespace ringside {

namespace {

constexpr std::string_view kMagic = "RINGRECS";
constexpr std::uint64_t kSmallestEntry = 8 + 4 + 4 + 2;
constexpr std::uint64_t kLargestIndex = 1u << 30; ///< bytes; a file may claim what it wants, and be a hole
constexpr std::uint32_t kMostClasses = 1u << 24;

struct Header
{
    std::uint32_t classes = 0;
    std::uint64_t pictures = 0;
    std::uint64_t indexBytes = 0;
    std::uint64_t fileBytes = 0;
    std::uint32_t indexChecksum = 0;
};

tl::unexpected<Error> damaged(const fs::path& file, const std::string& what)
{
    return fail(ErrorCode::damaged, fmt::format("{} cannot be used as packed records: {}.", file.string(), what),
                "If it is a file of Ringside, remove it: it is packed again from the folder.");
}

Result<std::string> readExactly(const OpenFile& file, std::uint64_t offset, std::uint64_t bytes)
{
    TRY_ASSIGN(std::string text, file.read(offset, bytes));
    if (text.size() < bytes)
        return damaged(file.path(), fmt::format("it ends after {} bytes", offset + text.size()));
    return text;
}

Result<Header> parseHeader(std::string_view bytes, const OpenFile& file)
{
    ByteReader reader(bytes);
    if (reader.takeBytes(kMagic.size()) != kMagic)
        return damaged(file.path(), "it does not begin as such a file does");
    std::uint32_t format = 0;
    std::uint32_t checksum = 0;
    Header header;
    reader.take(format);
    reader.take(header.classes);
    reader.take(header.pictures);
    reader.take(header.indexBytes);
    reader.take(header.fileBytes);
    reader.take(header.indexChecksum);
    reader.take(checksum);
    if (format != kRecordsFormat)
        return damaged(file.path(),
                       fmt::format("it has format {}, this worker reads format {}", format, kRecordsFormat));
    if (checksum != crc32c(bytes.substr(0, kRecordsHeaderBytes - sizeof checksum)))
        return damaged(file.path(), "the checksum of its header is wrong");
    return header;
}

Result<void> checkHeader(const Header& header, const OpenFile& file)
{
    if (header.fileBytes != file.size())
        return damaged(file.path(), fmt::format("it has {} of {} bytes", file.size(), header.fileBytes));
    if (header.indexBytes > kLargestIndex || header.indexBytes > header.fileBytes - kRecordsHeaderBytes)
        return damaged(file.path(), fmt::format("its index of {} bytes does not fit", header.indexBytes));
    if (header.pictures == 0 || header.pictures > header.indexBytes / kSmallestEntry)
        return damaged(file.path(), fmt::format("{} pictures do not fit into its index", header.pictures));
    if (header.classes == 0 || header.classes > kMostClasses)
        return damaged(file.path(), fmt::format("it has {} classes", header.classes));
    return {};
}

Picture takePicture(ByteReader& reader)
{
    Picture picture;
    std::uint32_t bytes = 0;
    std::uint32_t label = 0;
    reader.take(picture.offset);
    reader.take(bytes);
    reader.take(label);
    picture.bytes = bytes;
    picture.label = label;
    picture.name = reader.takeText();
    return picture;
}

bool isInside(const Picture& picture, const Header& header)
{
    return picture.offset >= kRecordsHeaderBytes + header.indexBytes && picture.offset <= header.fileBytes &&
           picture.bytes <= header.fileBytes - picture.offset;
}

Result<std::vector<Picture>> parseIndex(std::string_view bytes, const Header& header, const OpenFile& file)
{
    if (crc32c(bytes) != header.indexChecksum)
        return damaged(file.path(), "the checksum of its index is wrong");
    ByteReader reader(bytes);
    std::vector<Picture> pictures(header.pictures);
    for (std::size_t i = 0; i < pictures.size() && reader.ok(); ++i) {
        pictures[i] = takePicture(reader);
        if (reader.ok() && !isInside(pictures[i], header))
            return damaged(file.path(), fmt::format("picture {} lies outside of it", i));
        if (pictures[i].label >= header.classes)
            return damaged(file.path(),
                           fmt::format("picture {} is of class {} of {}", i, pictures[i].label, header.classes));
    }
    if (!reader.ok() || !reader.rest().empty())
        return damaged(file.path(), fmt::format("its index is not that of {} pictures", header.pictures));
    return pictures;
}

} // namespace

fs::path recordsOf(const fs::path& folder)
{
    fs::path path = fs::absolute(folder).lexically_normal();
    if (!path.has_filename()) // "folder/"
        path = path.parent_path();
    path += layout::kRecordsSuffix;
    return path;
}

Result<PictureSet> openRecords(const fs::path& file)
{
    TRY_ASSIGN(OpenFile open, OpenFile::open(file, Links::followed));
    TRY_ASSIGN(const std::string head, readExactly(open, 0, kRecordsHeaderBytes));
    TRY_ASSIGN(const Header header, parseHeader(head, open));
    TRY(checkHeader(header, open));
    TRY_ASSIGN(const std::string index, readExactly(open, kRecordsHeaderBytes, header.indexBytes));
    TRY_ASSIGN(auto pictures, parseIndex(index, header, open));
    open.expectRandomReads();
    return PictureSet{file, std::move(pictures), int(header.classes), std::make_shared<OpenFile>(std::move(open))};
}

} // namespace ringside
