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
    /// Reads the public part from `path`.pub, or from `path` where that shows it: a public key, which names one that
    /// the ssh-agent holds, or a private one in OpenSSH's format. Then the certificates for it: that beside it
    /// (`path`-cert.pub) and those among `certificateFiles`.
    KeyFile(fs::path path, const std::vector<fs::path>& certificateFiles);

    enum class State
    {
        notLoaded,
        loaded,
        missing,    ///< or not readable
        locked,     ///< has a passphrase, and no person could be asked
        publicOnly, ///< the file is a public key
        damaged,
    };
    /// Reads the private part, once; asks for a passphrase if it has one. Fails with what the person answered, and with
    /// permission when the passphrase is wrong. `account`: for whom, in the question.
    Result<State> load(Interaction* human, const std::string& account);

    const fs::path& path() const { return m_path; }
    /// The files that may hold certificates for it.
    const std::vector<fs::path>& certificateFiles() const { return m_certificateFiles; }
    /// Null until `load` if no file shows it.
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

/// The certificates in these files that are for the public key which goes over the wire as `keyBlob`.
std::vector<KeyHandle> certificatesFor(std::string_view keyBlob, const std::vector<fs::path>& files);

/// The public key as it goes over the wire.
std::string blobOf(const ssh_key_struct* key);

} // namespace ringside::ssh
