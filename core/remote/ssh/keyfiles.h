// SPDX-License-Identifier: MIT
// Private keys in files, with the certificates that belong to them.
#pragma once

#include "core/remote/interaction.h"
#include "core/remote/ssh/knownhosts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::ssh {

class KeyFile
{
public:
    /// Reads the public part from `path`.pub if that is there, and certificates from `path`-cert.pub and those of
    /// `certificateFiles` that are for this key.
    KeyFile(fs::path path, const std::vector<fs::path>& certificateFiles);

    enum class State
    {
        notLoaded,
        loaded,
        missing, ///< or not readable
        locked,  ///< has a passphrase, and no person could be asked
        damaged,
    };
    /// Reads the private part, once; asks for a passphrase if it has one. Fails with what the person answered, and with
    /// permission when the passphrase is wrong. `account`: for whom, in the question.
    Result<State> load(Interaction* human, const std::string& account);

    const fs::path& path() const { return m_path; }
    /// Null until `load` if there is no public file.
    const KeyHandle& publicKey() const { return m_publicKey; }
    const std::vector<KeyHandle>& certificates() const { return m_certificates; }
    /// The private key, with a certificate if there is one. Null unless loaded.
    KeyHandle privateKey(const ssh_key_struct* certificate) const;

private:
    void findCertificates();
    Result<State> read(Interaction* human, const std::string& account);

    fs::path m_path;
    std::vector<fs::path> m_certificateFiles;
    State m_state = State::notLoaded;
    KeyHandle m_publicKey;
    KeyHandle m_privateKey;
    std::vector<KeyHandle> m_certificates;
};

/// The public key as it goes over the wire.
std::string blobOf(const ssh_key_struct* key);

} // namespace ringside::ssh
