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

void ExperimentOpener::open(const Target& target, bool isEmpty)
{
    stop();
    if (!target.toml.isEmpty())
        openText(target, isEmpty);
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
            Q_EMIT opened({origin, draftOf(*experiment), {}, show});
        });
}

/// It was written with another version, or with the table of a system that is gone: its text is there to be mended.
void ExperimentOpener::openUnreadable(const DraftOrigin& origin, const std::string& text, const Error& why)
{
    Draft draft = draftOf(newExperiment(toUtf8(origin.name), m_context.preferences));
    draft.toml = text;
    Q_EMIT opened({origin, draft, why});
}

void ExperimentOpener::openText(const Target& target, bool isEmpty)
{
    const std::string text = toUtf8(target.toml);
    const auto experiment = spec::parseExperiment(text);
    if (experiment)
        return Q_EMIT opened(
            {{DraftOrigin::Kind::text, toQt(experiment->name)}, draftOf(*experiment), {}, target.show});
    if (const auto stored = spec::parseStoredExperiment(text, {})) // a copy of one
        return openUnreadable({DraftOrigin::Kind::text, toQt(stored->name)}, text, experiment.error());
    if (isEmpty)
        openNew(); // an empty form would be no experiment
    Q_EMIT failed(experiment.error());
}

void ExperimentOpener::openNew()
{
    const std::string name = toUtf8(tr("untitled", "name of a new experiment"));
    Q_EMIT opened({{},
                   draftOf(newExperiment(name, m_context.preferences)),
                   {},
                   QStringLiteral("field:name")}); // to be typed over
}

} // namespace ringside
