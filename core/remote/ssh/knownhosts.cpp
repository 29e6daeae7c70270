// SPDX-License-Identifier: MIT
#include "core/remote/ssh/knownhosts.h"

#include "core/base/descriptor.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/remote/ssh/evaluation.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>

namespace ringside::ssh {

namespace {

constexpr std::uint64_t kMaxKnownHostsBytes = 64u << 20;
constexpr std::string_view kRevoked = "@revoked";

// libssh's parameters for keys that it only reads are non-const.
ssh_key mutableKey(const ssh_key_struct* key)
{
    return const_cast<ssh_key>(key);
}

constexpr std::string_view kBlanks = " \t";

/// The next word of a line.
std::string_view takeWord(std::string_view& line)
{
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlanks)));
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return word;
}

/// "|1|salt|hash", which only libssh can compare; it reads whole lines, and would take one of several names for a
/// match.
bool matchesHashed(const std::string& name, std::string_view names, std::string_view rest)
{
    if (names.find(',') != std::string_view::npos)
        return false;
    ssh_knownhosts_entry* entry = nullptr;
    const std::string_view type = takeWord(rest);
    const std::string line = fmt::format("{} {} {}", names, type, takeWord(rest));
    if (ssh_known_hosts_parse_line(name.c_str(), line.c_str(), &entry) != SSH_OK)
        return false;
    ssh_knownhosts_entry_free(entry);
    return true;
}

/// By what ssh does with the first word of a line: a hash stands alone; of a list one pattern has to match, in either
/// case, and a single one behind "!" that matches rules the line out wherever it stands.
bool speaksAbout(const std::string& name, std::string_view names, std::string_view rest)
{
    return names.starts_with('|') ? matchesHashed(name, names, rest)
                                  : matchesPatterns(splitAtCommas(lowerCase(std::string(names))), name);
}

/// "ssh-ed25519 AAAA…"; null for what is no key, or not of the type that it is called.
KeyHandle keyIn(std::string_view rest)
{
    const std::string type(takeWord(rest));
    const std::string encoded(takeWord(rest));
    const ssh_keytypes_e kind = ssh_key_type_from_name(type.c_str());
    ssh_key key = nullptr;
    if (kind == SSH_KEYTYPE_UNKNOWN || ssh_pki_import_pubkey_base64(encoded.c_str(), kind, &key) != SSH_OK)
        return nullptr;
    KeyHandle handle(key);
    return ssh_key_type(key) == kind ? std::move(handle) : nullptr;
}

/// The marker at the beginning of a line; nullopt if there is one that is not @revoked. Authorities sign certificates
/// of hosts, which are not asked for here: to a plain key such a line says nothing.
std::optional<bool> takeRevoked(std::string_view& line)
{
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlanks)));
    if (!line.starts_with('@'))
        return false;
    return takeWord(line) == kRevoked ? std::optional(true) : std::nullopt;
}

void readLines(const std::string& name, const fs::path& file, std::string_view text, std::vector<KnownKey>& keys)
{
    for (int number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.size(), text.find('\n'));
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        const auto revoked = takeRevoked(line);
        const std::string_view names = takeWord(line);
        if (!revoked || names.empty() || names.starts_with('#') || names.starts_with('@'))
            continue;
        if (!speaksAbout(name, names, line))
            continue;
        if (KeyHandle key = keyIn(line))
            keys.push_back({std::move(key), *revoked, file, number});
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
