// SPDX-License-Identifier: MIT
#include "core/remote/ssh/keyfiles.h"

#include "core/base/regularfile.h"
#include "core/base/words.h"

#include <algorithm>
#include <cstring>

namespace ringside::ssh {

namespace {

/// As in public keys (RFC 4648). Stops at the first character that is none of base64.
std::string fromBase64(std::string_view text)
{
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const auto value = kAlphabet.find(c);
        if (value == std::string_view::npos)
            break;
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>((bits >> count) & 255);
        }
    }
    return bytes;
}

std::string_view skipString(std::string_view blob)
{
    std::uint64_t length = 4;
    for (std::size_t i = 0; i < 4 && i < blob.size(); ++i)
        length += std::uint64_t{static_cast<unsigned char>(blob[i])} << (24 - 8 * i);
    return blob.substr(std::min<std::uint64_t>(blob.size(), length));
}

/// A certificate is: its type, a nonce, the numbers of the key, and more. A key is: its type, its numbers.
bool isFor(const KeyHandle& certificate, std::string_view keyBlob)
{
    const std::string certificateBlob = blobOf(certificate.get());
    const std::string_view numbers = skipString(keyBlob);
    return !numbers.empty() && skipString(skipString(certificateBlob)).starts_with(numbers);
}

/// libssh opens any path, and would wait for ever at a pipe into which nothing is written. So `import` is
/// called with what is open already and known to be a file. Otherwise libssh's answer: SSH_EOF for what cannot be
/// opened.
template <class Import> int importFrom(const fs::path& path, const Import& import)
{
    const auto file = openRegularFile(path, Links::followed);
    if (!file)
        return file.error().code == ErrorCode::damaged ? SSH_ERROR : SSH_EOF;
    return import(fmt::format("/dev/fd/{}", file->get()).c_str());
}

constexpr std::string_view kPublicEnding = ".pub";

/// "id", of "id" and of "id.pub".
std::string withoutEnding(const fs::path& path)
{
    const std::string name = path.string();
    return name.ends_with(kPublicEnding) ? name.substr(0, name.size() - kPublicEnding.size()) : name;
}

/// Context of libssh's request for a passphrase.
struct PassphraseRequest
{
    const fs::path& key;
    const std::string& account;
    Interaction* human;
    bool asked = false;
    std::optional<Error> error;
};

PromptRound roundOf(const PassphraseRequest& request)
{
    PromptRound round;
    round.kind = PromptRound::Kind::passphrase;
    round.subject = request.key.string();
    round.account = request.account;
    round.prompts = {{Words::tr("Passphrase"), false}};
    return round;
}

Result<Secret> askPassphrase(const PassphraseRequest& request)
{
    TRY_ASSIGN(std::vector<Secret> answers, request.human->answer(roundOf(request)));
    if (answers.size() != 1)
        return fail(ErrorCode::internal, Words::tr("A passphrase was asked for and not answered."));
    return std::move(answers.front());
}

/// Called by libssh for an encrypted key. libssh wipes `buffer`.
int passphraseCallback(const char*, char* buffer, std::size_t size, int, int, void* data)
{
    auto& request = *static_cast<PassphraseRequest*>(data);
    request.asked = true;
    if (!request.human)
        return -1;
    const auto passphrase = askPassphrase(request);
    if (passphrase && passphrase->size() < size) {
        std::memcpy(buffer, passphrase->c_str(), passphrase->size() + 1);
        return 0;
    }
    request.error =
        passphrase ? Error{ErrorCode::usage, Words::tr("The passphrase is too long."), {}} : passphrase.error();
    return -1;
}

} // namespace

std::string blobOf(const ssh_key_struct* key)
{
    char* text = nullptr;
    if (ssh_pki_export_pubkey_base64(const_cast<ssh_key>(key), &text) != SSH_OK)
        return {};
    std::string blob = fromBase64(text);
    ssh_string_free_char(text);
    return blob;
}

std::vector<KeyHandle> certificatesFor(std::string_view keyBlob, const std::vector<fs::path>& files)
{
    std::vector<KeyHandle> certificates;
    for (const fs::path& file : files) {
        ssh_key key = nullptr;
        if (importFrom(file, [&](const char* open) { return ssh_pki_import_cert_file(open, &key); }) != SSH_OK)
            continue;
        KeyHandle certificate(key);
        if (isFor(certificate, keyBlob))
            certificates.push_back(std::move(certificate));
    }
    return certificates;
}

KeyFile::KeyFile(fs::path path, const std::vector<fs::path>& certificateFiles)
    : m_path(std::move(path))
    , m_certificateFiles(certificateFiles)
{
    m_certificateFiles.insert(m_certificateFiles.begin(), withoutEnding(m_path) + "-cert.pub");
    ssh_key key = nullptr;
    const auto import = [&](const char* file) { return ssh_pki_import_pubkey_file(file, &key); };
    if (importFrom(m_path.string() + std::string(kPublicEnding), import) != SSH_OK &&
        importFrom(m_path, import) != SSH_OK)
        return;
    m_publicKey.reset(key);
    findCertificates();
}

void KeyFile::findCertificates()
{
    m_certificates = certificatesFor(blobOf(m_publicKey.get()), m_certificateFiles);
}

Result<KeyFile::State> KeyFile::load(Interaction* human, const std::string& account)
{
    if (m_state == State::notLoaded) {
        TRY_ASSIGN(m_state, read(human, account));
    }
    if (m_state == State::loaded && !m_publicKey) {
        ssh_key key = nullptr;
        ssh_pki_export_privkey_to_pubkey(m_privateKey.get(), &key);
        m_publicKey.reset(key);
        findCertificates();
    }
    return m_state;
}

Result<KeyFile::State> KeyFile::read(Interaction* human, const std::string& account)
{
    PassphraseRequest request{m_path, account, human, false, {}};
    const auto import = [&] {
        ssh_key key = nullptr;
        const int answer = importFrom(m_path, [&](const char* file) {
            return ssh_pki_import_privkey_file(file, nullptr, passphraseCallback, &request, &key);
        });
        m_privateKey.reset(key);
        return answer;
    };
    const auto wasKept = [&](int answer) {
        return request.asked && human && !request.error && human->judged(roundOf(request), answer == SSH_OK);
    };
    int answer = import();
    if (wasKept(answer) && answer != SSH_OK) {
        answer = import(); // the first one holds no more
        static_cast<void>(wasKept(answer));
    }
    if (answer == SSH_OK)
        return State::loaded;
    if (request.error)
        return tl::unexpected(std::move(*request.error));
    if (request.asked && human)
        return fail(ErrorCode::permission, Words::tr("That is not the passphrase of {}.", m_path.string()),
                    Words::tr("Try again."));
    if (request.asked)
        return State::locked;
    const State unread = m_publicKey && m_path.extension() == kPublicEnding ? State::publicOnly : State::damaged;
    return answer == SSH_EOF ? State::missing : unread;
}

KeyHandle KeyFile::privateKey(const ssh_key_struct* certificate) const
{
    KeyHandle key(m_privateKey ? ssh_key_dup(m_privateKey.get()) : nullptr);
    if (key && certificate)
        ssh_pki_copy_cert_to_privkey(const_cast<ssh_key>(certificate), key.get());
    return key;
}

} // namespace ringside::ssh
