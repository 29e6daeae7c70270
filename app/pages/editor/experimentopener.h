// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what the editor is to open: an experiment of the database, a text, or a new one. GUI thread.
#pragma once

#include "app/drafts/drafts.h"
#include "app/session/jobtracker.h"
#include "app/shell/shell.h"
#include "core/base/error.h"

#include <QObject>

namespace ringside {

/// An experiment that was asked for, as it was read.
struct Opening
{
    DraftOrigin origin;
    Draft base;
    std::optional<Error> unreadable = {}; ///< why it is Draft::toml alone, to be mended
    QString show = {};                    ///< as Target::show
};

class ExperimentOpener : public QObject
{
    Q_OBJECT
public:
    ExperimentOpener(const PageContext& context, QObject* parent);

    /// Answers with opened() or failed(), perhaps at once; where that is a text that is no experiment, and the form is
    /// empty, with both.
    void open(const Target& target, bool isEmpty);
    /// A late answer would replace what was opened since, or ask to launch above another page.
    void stop();

Q_SIGNALS:
    void opened(const ringside::Opening& opening);
    void failed(const ringside::Error& error);
    void loading(bool isLoading);

private:
    void openStored(const QString& name, const QString& show);
    void openText(const Target& target, bool isEmpty);
    void openNew();
    void openUnreadable(const DraftOrigin& origin, const std::string& text, const Error& why);

    const PageContext& m_context;
    JobTracker m_job;
};

} // namespace ringside
