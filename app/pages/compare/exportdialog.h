// SPDX-License-Identifier: GPL-3.0-or-later
// Export figure: preview at true proportion, size, files, caption, folder (UX.md 3.8). Stays open on errors.
#pragma once

#include "app/pages/compare/exportfiles.h"
#include "app/session/jobtracker.h"
#include "app/session/taskthread.h"
#include "app/shell/shell.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace ringside {

class MessageBar;
class PaperPreview;
class SegmentedControl;

class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    /// Deletes itself when closed.
    ExportDialog(const PageContext& context, ExportContent content, QWidget* parent = nullptr);

private:
    QWidget* makePreviewSide();
    QWidget* makeOptionsSide();
    QWidget* makeButtons();
    void addSize(class QVBoxLayout& layout);
    void addFiles(QVBoxLayout& layout);
    void addFolder(QVBoxLayout& layout);

    figures::PaperOptions paper() const;
    ExportRequest request() const;
    void refresh();
    void chooseFolder();
    void start();
    void write(bool replace);
    void finish(const ExportOutcome& outcome);
    void copyImage();

    const PageContext& m_context;
    ExportContent m_content;
    std::vector<std::pair<ExportFile, QCheckBox*>> m_files;
    PaperPreview* m_preview;
    SegmentedControl* m_columns;
    QDoubleSpinBox* m_width;
    QDoubleSpinBox* m_height;
    QDoubleSpinBox* m_text;
    QComboBox* m_fonts;
    QPlainTextEdit* m_caption;
    QLineEdit* m_folder;
    QLabel* m_size;
    MessageBar* m_message;
    QPushButton* m_export;
    JobTracker m_job;
    TaskThread m_writer; // last: it calls back
};

} // namespace ringside
