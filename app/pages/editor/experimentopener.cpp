// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/experimentopener.h"

#include "app/pages/editor/newexperiment.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"

namespace ringside {

ExperimentOpener::ExperimentOpener(const PageContext& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
{
}

void ExperimentOpener::open(const Target& target)
{
    stop();
    if (!target.toml.isEmpty())
        openText(target.toml, target.show);
    else if (!target.experiment.isEmpty())
        openStored(target.experiment, target.show);
    else
        openNew();
}

void ExperimentOpener::stop()
{
    m_job.cancel();
    Q_EMIT loading(false);
}

void ExperimentOpener::end(const Opening& opening)
{
    m_hasOpened = true;
    Q_EMIT opened(opening);
}

void ExperimentOpener::openStored(const QString& name, const QString& show)
{
    Q_EMIT loading(true);
    m_context.session.queries().ask(
        m_job,
        [name = toUtf8(name)](const store::Database& db, std::stop_token) { return store::experimentText(db, name); },
        [this, name, show](const Result<std::string>& text) {
            Q_EMIT loading(false);
            if (!text)
                return Q_EMIT failed(text.error());
            const DraftOrigin origin{DraftOrigin::Kind::stored, name};
            const auto experiment = spec::parseExperiment(*text, toUtf8(name));
            if (!experiment)
                return openUnreadable(origin, *text, experiment.error());
            end({origin, draftOf(*experiment), {}, show});
        });
}

/// It was written with another version, or with the table of a system that is gone: its text is there to be mended.
void ExperimentOpener::openUnreadable(const DraftOrigin& origin, const std::string& text, const Error& why)
{
    Draft draft = draftOf(newExperiment(toUtf8(origin.name), m_context.preferences));
    draft.toml = text;
    end({origin, draft, why});
}

void ExperimentOpener::openText(const QString& toml, const QString& show)
{
    const std::string text = toUtf8(toml);
    const auto experiment = spec::parseExperiment(text);
    if (experiment)
        return end({{DraftOrigin::Kind::text, toQt(experiment->name)}, draftOf(*experiment), {}, show});
    if (const auto stored = spec::parseStoredExperiment(text, {})) // a copy of one
        return openUnreadable({DraftOrigin::Kind::text, toQt(stored->name)}, text, experiment.error());
    if (!m_hasOpened)
        openNew(); // an empty form would be no experiment
    Q_EMIT failed(experiment.error());
}

void ExperimentOpener::openNew()
{
    const std::string name = toUtf8(tr("untitled", "name of a new experiment"));
    end({{},
         draftOf(newExperiment(name, m_context.preferences)),
         {},
         QStringLiteral("field:name")}); // to be typed over
}

} // namespace ringside
