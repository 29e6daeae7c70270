// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of other programs into the store: which logs, the runs as understood, missing settings, and the destination.
// Reads off the GUI thread, and stores nothing before it is asked to.
#pragma once

#include "app/dialogs/dialogparts.h"
#include "app/session/session.h"

#include "core/imports/importing.h"

#include <QTimer>
#include <atomic>
#include <map>
#include <memory>
#include <set>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QStandardItem;
class QStandardItemModel;
class QTableView;

namespace ringside {

class FormScroll;

/// `open()` it.
class ImportDialog : public QuestionDialog
{
    Q_OBJECT
public:
    ImportDialog(const ThemeController& theme, QWidget* parent, Session& session);

    /// Adds files and folders. Their contents are shown once they have been read.
    void add(const QStringList& paths);

    void reject() override;

Q_SIGNALS:
    /// `leftOut`: names each log or run that was not stored, and says why.
    void imported(const QString& experiment, const QStringList& leftOut);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void addFiles();
    void addPreview();
    void addQuestions();
    void addTester();
    void addButtons();
    void choose(bool folder);
    /// All of them, with what the user says by now; what is being read is dropped.
    void read();
    void show(Result<imports::Previews>& previews);
    void showRuns();
    void addRow(const QStringList& texts, std::size_t log, std::size_t run);
    void leaveOut(const QStandardItem* item);
    void askForMissing();
    void showChosen();
    void askFor(const std::string& key);
    Result<imports::Answers> answers() const;
    void explain();
    void showState();
    void store();
    /// While an import is stored it stays as it is.
    void setStoring(bool isStoring);
    void showProblem(const Error& error);

    const ThemeController& m_theme;
    Session& m_session;
    QStringList m_paths;
    std::shared_ptr<imports::Import> m_import; ///< what has been read; null: nothing, or not by what is said by now
    std::vector<std::pair<std::size_t, std::size_t>> m_rows; ///< log and run of each row
    std::vector<bool> m_blocked;                             ///< by log: nothing of it can be stored
    std::set<fs::path> m_leftOut;                            ///< by the user: the first files of logs

    QLabel* m_source;
    QProgressBar* m_progress;
    QStandardItemModel* m_runs;
    QTableView* m_table;
    QPlainTextEdit* m_details;
    QFormLayout* m_questions;
    QVBoxLayout* m_form = nullptr;
    FormScroll* m_scroll = nullptr; ///< moves where the screen is too low for it
    std::map<std::string, QWidget*> m_fields;
    QWidget* m_lastQuestion = nullptr; ///< in the order of Tab
    QComboBox* m_model;
    QComboBox* m_experiment;
    QLineEdit* m_line;
    QPlainTextEdit* m_explained;
    QLabel* m_state;
    QPushButton *m_store = nullptr, *m_cancel = nullptr;

    QTimer m_clock; ///< while it is read
    struct BytesRead
    {
        std::atomic<std::uint64_t> done = 0, all = 0;
    };
    std::shared_ptr<BytesRead> m_bytes; ///< of what is read now; its thread may outlive the dialog
    bool m_isStoring = false;
    bool m_isReading = false;
    std::vector<QWidget*> m_inputs; ///< by which a user says what to read, and how
    JobTracker m_reading;
};

} // namespace ringside
