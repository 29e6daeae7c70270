// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitefields.h"

#include "app/text/text.h"

#include "core/jobs/duration.h"

#include <QCoreApplication>
#include <QProcess>
#include <QRegularExpression>
#include <fmt/format.h>

namespace ringside {

namespace {

struct SiteFields
{
    Q_DECLARE_TR_FUNCTIONS(ringside::SiteFields)
};

SiteField textField(const QString& label, const QString& placeholder, std::string& (*member)(Site&))
{
    return {label, placeholder, [member](Site site) { return member(site); },
            [member](Site& site, const std::string& text) -> Result<void> {
                member(site) = text;
                return {};
            }};
}

/// As QProcess::splitCommand reads it: in quotes where there are spaces, a quote of its own as three.
QString quoted(QString word)
{
    const bool isPlain = !word.isEmpty() && !word.contains(QRegularExpression(QStringLiteral("[\\s\"]")));
    if (isPlain)
        return word;
    word.replace(QLatin1Char('"'), QStringLiteral("\"\"\""));
    return QLatin1Char('"') + word + QLatin1Char('"');
}

/// Words between spaces; one that has spaces is in quotes.
SiteField listField(const QString& label, const QString& placeholder, std::vector<std::string>& (*member)(Site&))
{
    return {label, placeholder,
            [member](Site site) {
                QStringList words;
                for (const std::string& word : member(site))
                    words << quoted(toQt(word));
                return toUtf8(words.join(QLatin1Char(' ')));
            },
            [member](Site& site, const std::string& text) -> Result<void> {
                member(site).clear();
                for (const QString& word : QProcess::splitCommand(toQt(text)))
                    member(site).push_back(toUtf8(word));
                return {};
            }};
}

SiteField sshConfigField()
{
    return {SiteFields::tr("SSH configuration"), SiteFields::tr("~/.ssh/config"),
            [](const Site& site) { return site.sshConfig.string(); },
            [](Site& site, const std::string& text) -> Result<void> {
                site.sshConfig = text;
                return {};
            }};
}

SiteField timeLimitField()
{
    return {SiteFields::tr("Time limit"), SiteFields::tr("1:00:00"),
            [](const Site& site) { return jobs::formatDuration(site.job.timeLimitSeconds); },
            [](Site& site, const std::string& text) -> Result<void> {
                const auto seconds = jobs::parseTimeLimit(text);
                if (!seconds || *seconds <= 0 || *seconds > 1'000'000'000)
                    return fail(ErrorCode::usage,
                                toUtf8(SiteFields::tr("Time limit: “%1” is no time.").arg(toQt(text))),
                                toUtf8(SiteFields::tr("Write hours, minutes and seconds: 2:00:00, or 1-00:00:00.")));
                site.job.timeLimitSeconds = static_cast<int>(*seconds);
                return {};
            }};
}

SiteField gpusField()
{
    return {SiteFields::tr("GPUs per node"), SiteFields::tr("none; 4, or a100:4"),
            [](const Site& site) {
                const std::string count = site.job.gpusPerNode == 0 ? "" : std::to_string(site.job.gpusPerNode);
                return site.job.gpuType.empty() ? count : fmt::format("{}:{}", site.job.gpuType, count);
            },
            [](Site& site, const std::string& text) -> Result<void> {
                const auto colon = text.rfind(':');
                bool isNumber = false;
                const int count = toQt(colon == std::string::npos ? text : text.substr(colon + 1)).toInt(&isNumber);
                if (!text.empty() && (!isNumber || count < 0))
                    return fail(ErrorCode::usage,
                                toUtf8(SiteFields::tr("GPUs per node: “%1” is no number.").arg(toQt(text))),
                                toUtf8(SiteFields::tr("Write 4, or with their type a100:4.")));
                site.job.gpusPerNode = text.empty() ? 0 : count;
                site.job.gpuType = colon == std::string::npos ? "" : text.substr(0, colon);
                return {};
            }};
}

} // namespace

std::vector<SiteField> placeFields()
{
    return {
        textField(SiteFields::tr("Folder there"), SiteFields::tr("seen by login and compute nodes"),
                  [](Site& site) -> std::string& { return site.root; }),
        textField(SiteFields::tr("Torch there"), SiteFields::tr("looked for"),
                  [](Site& site) -> std::string& { return site.torch; }),
        listField(SiteFields::tr("Modules"), SiteFields::tr("none; gcc/12 openmpi/4"),
                  [](Site& site) -> std::vector<std::string>& { return site.modules; }),
        listField(SiteFields::tr("Before the worker"), SiteFields::tr("nothing; apptainer exec image.sif"),
                  [](Site& site) -> std::vector<std::string>& { return site.launchPrefix; }),
        listField(SiteFields::tr("Hosts"), SiteFields::tr("the login node; n1 n2 n3"),
                  [](Site& site) -> std::vector<std::string>& { return site.hosts; }),
    };
}

std::vector<SiteField> jobFields()
{
    const QString clusters = SiteFields::tr("the cluster's default"), yours = SiteFields::tr("your default");
    return {
        textField(SiteFields::tr("Partition"), clusters, [](Site& site) -> std::string& { return site.job.partition; }),
        textField(SiteFields::tr("Account"), yours, [](Site& site) -> std::string& { return site.job.account; }),
        textField(SiteFields::tr("QOS"), yours, [](Site& site) -> std::string& { return site.job.qos; }),
        timeLimitField(),
        gpusField(),
        textField(SiteFields::tr("Constraint"), SiteFields::tr("any node"),
                  [](Site& site) -> std::string& { return site.job.constraint; }),
        textField(SiteFields::tr("Memory per node"), clusters,
                  [](Site& site) -> std::string& { return site.job.memory; }),
    };
}

std::vector<SiteField> advancedFields()
{
    return {
        sshConfigField(),
        textField(SiteFields::tr("Worker there"), SiteFields::tr("built there; /opt/ringside/ringside-worker"),
                  [](Site& site) -> std::string& { return site.worker; }),
        textField(SiteFields::tr("Agent there"), SiteFields::tr("brought there; /opt/ringside/ringside-agent"),
                  [](Site& site) -> std::string& { return site.agent; }),
    };
}

} // namespace ringside
