// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/keychain.h"

#include "app/text/text.h"

#include <QTimer>
#include <chrono>
#include <memory>
#include <qt6keychain/keychain.h>

namespace ringside {

using namespace std::chrono_literals;

namespace {

constexpr auto kReadLimit = 60s;
const QString kService = QStringLiteral("Ringside");

Secret secretFrom(QByteArray bytes)
{
    Secret secret(std::string_view(bytes.constData(), std::size_t(bytes.size())));
    bytes.fill('\0');
    return secret;
}

} // namespace

QString Keychain::nameOf(const PromptRound& round)
{
    const char* what = round.kind == PromptRound::Kind::passphrase ? "passphrase" : "password";
    return QStringLiteral("%1 of %2").arg(QLatin1String(what), toQt(round.subject));
}

void Keychain::read(const QString& name, const std::function<void(Found)>& found)
{
    auto* job = new QKeychain::ReadPasswordJob(kService, this);
    job->setKey(name);
    const auto isDelivered = std::make_shared<bool>(false);
    const auto deliver = [isDelivered, found](Found what) {
        if (!std::exchange(*isDelivered, true))
            found(std::move(what));
    };
    connect(job, &QKeychain::Job::finished, this, [job, deliver] {
        if (job->error() == QKeychain::NoError)
            deliver({true, secretFrom(job->binaryData())});
        else
            deliver({job->error() == QKeychain::EntryNotFound, std::nullopt});
    });
    QTimer::singleShot(kReadLimit, job, [deliver] { deliver({}); });
    job->start();
}

void Keychain::keep(const QString& name, const Secret& secret)
{
    auto* job = new QKeychain::WritePasswordJob(kService, this);
    job->setKey(name);
    job->setBinaryData(QByteArray(secret.c_str(), qsizetype(secret.size())));
    job->start();
}

void Keychain::forget(const QString& name)
{
    auto* job = new QKeychain::DeletePasswordJob(kService, this);
    job->setKey(name);
    job->start();
}

} // namespace ringside
