// SPDX-License-Identifier: GPL-3.0-or-later
// Opens experiments, files and drafts in the editor, and keeps what was never saved.
#include "app/pages/editor/drafthistory.h"
#include "app/pages/editor/editorpage.h"
#include "app/pages/editor/experimentform.h"
#include "app/pages/editor/newexperiment.h"
#include "app/pages/editor/previewtabs.h"
#include "app/pages/editor/tomltab.h"
#include "app/session/session.h"
#include "app/text/text.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"

namespace ringside {

namespace {

const QString kLaunch = QStringLiteral("launch"), kField = QStringLiteral("field:"); // Target::show

} // namespace

void EditorPage::activate(const Target& target)
{
    stopOpening();
    learnSites();
    learnSite();
    if (!target.toml.isEmpty())
        openText(target.toml, target.show);
    else if (!target.experiment.isEmpty())
        openStored(target.experiment, target.show);
    else
        openNew();
}

void EditorPage::deactivate()
{
    stopOpening();
    m_whenEvaluated = {};
    m_systems.follow({});
    keepDraft();
}

/// A late answer would replace what was opened since, or ask to launch above another page.
void EditorPage::stopOpening()
{
    m_openJob.cancel();
    setLoading(false);
}

/// Leaving with changes asks nothing: the draft is there again when its experiment is opened.
void EditorPage::keepDraft()
{
    if (!m_origin)
        return;
    const bool isEdited = !(m_form->draft() == m_base);
    if (isEdited)
        m_drafts.keep(*m_origin, m_base, m_form->draft());
    else if (m_isKept)
        m_drafts.forget(*m_origin);
    m_isKept = isEdited;
}

void EditorPage::openStored(const QString& name, const QString& show)
{
    setLoading(true);
    context().session.queries().ask(
        m_openJob,
        [name = toUtf8(name)](const store::Database& db, std::stop_token) { return store::experimentText(db, name); },
        [this, name, show](const Result<std::string>& text) {
            setLoading(false);
            if (!text)
                return showError(text.error());
            const auto experiment = spec::parseExperiment(*text, toUtf8(name));
            if (!experiment)
                return openUnreadable({DraftOrigin::Kind::stored, name}, *text, experiment.error());
            open({DraftOrigin::Kind::stored, name}, draftOf(*experiment));
            if (show == kLaunch)
                offerOpened();
            else if (show.startsWith(kField))
                goToField(show.mid(kField.size()));
        });
}

/// It was written with another version, or with the table of a system that is gone: its text is there to be mended.
void EditorPage::openUnreadable(const DraftOrigin& origin, const std::string& text, const Error& why)
{
    Draft draft = draftOf(newExperiment(toUtf8(origin.name), context().preferences));
    draft.toml = text;
    open(origin, draft);
    m_tabs->showToml();
    showError(why);
}

/// The experiment was chosen in a list, or its file was named: what was never saved of it is not launched unseen.
void EditorPage::offerOpened()
{
    if (m_form->draft() == m_base)
        m_whenEvaluated = [this] { launch(); };
    else
        showMessage({Severity::info, tr("It was changed and not saved. Launch saves and runs what stands here.")});
}

void EditorPage::openText(const QString& toml, const QString& show)
{
    const std::string text = toUtf8(toml);
    const auto experiment = spec::parseExperiment(text);
    if (experiment) {
        open({DraftOrigin::Kind::text, toQt(experiment->name)}, draftOf(*experiment));
        return show == kLaunch ? offerOpened() : void();
    }
    if (const auto stored = spec::parseStoredExperiment(text, {})) // a copy of one
        return openUnreadable({DraftOrigin::Kind::text, toQt(stored->name)}, text, experiment.error());
    if (!m_origin)
        openNew(); // an empty form would be no experiment
    showError(experiment.error());
}

void EditorPage::openNew()
{
    const std::string name = toUtf8(tr("untitled", "name of a new experiment"));
    open({}, draftOf(newExperiment(name, context().preferences)));
    m_form->focusField("name"); // to be typed over
}

/// Shows what was opened, or the draft that was made of it before.
void EditorPage::open(const DraftOrigin& origin, const Draft& base)
{
    keepDraft();
    m_origin = origin;
    m_base = base;
    m_evaluation = {};
    m_evaluated.reset();
    m_evaluationJob.cancel();
    m_whenEvaluated = {};
    m_tabs->toml().begin();
    const std::optional<Draft> kept = m_drafts.find(origin, base);
    m_isKept = kept.has_value();
    setDraft(kept.value_or(base));
    m_history->begin();
}

} // namespace ringside
