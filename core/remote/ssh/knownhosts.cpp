// SPDX-License-Identifier: MIT
#include "core/remote/ssh/knownhosts.h"

#include "core/base/words.h"
#include "core/remote/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>

namespace ringside::ssh {

namespace {

constexpr std::uint64_t kMaxKnownHostsBytes = 64u << 20;
constexpr std::string_view kRevoked = "@revoked";

// libssh takes keys that it only reads as non-const.
ssh_key mutableKey(const ssh_key_struct* key)
{
    return const_cast<ssh_key>(key);
}

/// The key of one line if the line speaks about `name`.
KeyHandle keyOfLine(const std::string& name, const std::string& line)
{
    ssh_knownhosts_entry* entry = nullptr;
    if (ssh_known_hosts_parse_line(name.c_str(), line.c_str(), &entry) != SSH_OK)
        return nullptr;
    KeyHandle key(ssh_key_dup(entry->publickey));
    ssh_knownhosts_entry_free(entry);
    return key;
}

void readLines(const std::string& name, const fs::path& file, std::string_view text, std::vector<KnownKey>& keys)
{
    for (int number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.size(), text.find('\n'));
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
        const bool revoked = line.starts_with(kRevoked);
        if (revoked) {
            line.remove_prefix(kRevoked.size());
            line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
        }
        if (line.empty() || line[0] == '#' || line[0] == '@')
            continue;
        if (KeyHandle key = keyOfLine(name, std::string(line)))
            keys.push_back({std::move(key), revoked, file, number});
    }
}

/// False if the last line of the file lacks its end, so that ours would become part of it.
bool endsWithNewline(int fd)
{
    char last = '\n';
    const off_t size = ::lseek(fd, 0, SEEK_END);
    return size <= 0 || (::pread(fd, &last, 1, size - 1) == 1 && last == '\n');
}

} // namespace

std::string fingerprintOf(const ssh_key_struct* key)
{
    unsigned char* hash = nullptr;
    std::size_t size = 0;
    if (ssh_get_publickey_hash(mutableKey(key), SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != SSH_OK)
        return {};
    char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
    const std::string fingerprint = text ? text : "";
    ssh_string_free_char(text);
    ssh_clean_pubkey_hash(&hash);
    return fingerprint;
}

std::string typeOf(const ssh_key_struct* key)
{
    const char* type = ssh_key_type_to_char(ssh_key_type(mutableKey(key)));
    return type ? type : "";
}

Result<std::vector<KnownKey>> knownKeys(const std::string& name, const std::vector<fs::path>& files)
{
    std::vector<KnownKey> keys;
    for (const fs::path& file : files) {
        const auto text = readFile(file, kMaxKnownHostsBytes);
        if (text)
            readLines(name, file, *text, keys);
        else if (text.error().code != ErrorCode::notFound)
            return tl::unexpected(text.error());
    }
    return keys;
}

Result<void> addKnownKey(const std::string& name, const ssh_key_struct* key, const fs::path& file)
{
    char* encoded = nullptr;
    if (ssh_pki_export_pubkey_base64(mutableKey(key), &encoded) != SSH_OK)
        return fail(ErrorCode::internal, Words::tr("The host key cannot be written down."));
    std::string line = fmt::format("{} {} {}\n", name, typeOf(key), encoded);
    ssh_string_free_char(encoded);
    TRY(makePrivateFolder(file.parent_path()));
    const Descriptor out(::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (out.get() < 0)
        return tl::unexpected(systemError(Words::noop("cannot write"), file, errno));
    if (!endsWithNewline(out.get()))
        line.insert(line.begin(), '\n');
    if (::write(out.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return tl::unexpected(systemError(Words::noop("cannot write"), file, errno));
    return {};
}

} // namespace ringside::ssh
