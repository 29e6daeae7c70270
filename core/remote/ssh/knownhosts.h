// SPDX-License-Identifier: MIT
// The known_hosts files: what they say about a host, and one line more.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"

#include <libssh/libssh.h>
#include <memory>
#include <string>
#include <vector>

namespace ringside::ssh {

struct FreeKey
{
    void operator()(ssh_key key) const { ssh_key_free(key); }
};
using KeyHandle = std::unique_ptr<ssh_key_struct, FreeKey>;

/// "SHA256:…", and "ssh-ed25519".
std::string fingerprintOf(const ssh_key_struct* key);
std::string typeOf(const ssh_key_struct* key);

/// A line about the host.
struct KnownKey
{
    KeyHandle key;
    bool revoked = false;
    fs::path file;
    int line = 0; ///< from 1
};

/// The lines for `name` (in lower case: "alder", "[alder]:2222") in all files, as patterns or hashed, by the rules of
/// sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT". Files that do not exist say nothing; one that cannot be read is an error.
/// Lines of key types that libssh does not know, and @cert-authority, are passed over.
Result<std::vector<KnownKey>> knownKeys(const std::string& name, const std::vector<fs::path>& files);

/// Appends a line, and makes the file and its folder private if they are new.
Result<void> addKnownKey(const std::string& name, const ssh_key_struct* key, const fs::path& file);

} // namespace ringside::ssh
