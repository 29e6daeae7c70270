// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/importdialog.h"

#include "app/dialogs/answerfield.h"
#include "app/dialogs/importtexts.h"
#include "app/style/fonts.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/columnscroll.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "app/widgets/tables.h"

#include "core/adapters/logformats.h"
#include "core/base/text.h"
#include "core/imports/explain.h"
#include "core/imports/findings.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFormLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <algorithm>

namespace ringside {

using imports::LogPreview;

namespace {

constexpr int kWidth = 980;
constexpr int kNumbers = 2; // the first column of them

QPlainTextEdit* makeReadOnly(const QString& name, int lines)
{
    auto* text = new QPlainTextEdit;
    text->setReadOnly(true);
    text->setTabChangesFocus(true);
    text->setAccessibleName(name);
    text->setFont(monospaceFont(text->font()));
    text->setMinimumHeight(lines * text->fontMetrics().lineSpacing() + 12);
    return text;
}

fs::path pathOf(const LogPreview& log)
{
    return log.log.files.front().file.path;
}

bool isBlocked(const LogPreview& log)
{
    return std::ranges::any_of(notesOf(log),
                               [](const imports::Note& note) { return note.gravity == imports::Gravity::block; });
}

} // namespace

ImportDialog::ImportDialog(const ThemeController& theme, QWidget* parent, Session& session)
    : QuestionDialog(parent, theme,
                     {tr("Import logs"), tr("Read logs of other programs as runs"), QStringLiteral("file")})
    , m_theme(theme)
    , m_session(session)
    , m_source(makeParagraph(LabelKind::caption))
    , m_progress(new QProgressBar)
    , m_runs(new QStandardItemModel(this))
    , m_table(new QTableView)
    , m_details(makeReadOnly(tr("Summary of the log"), 8))
    , m_questions(new QFormLayout)
    , m_model(new QComboBox)
    , m_experiment(new QComboBox)
    , m_line(new QLineEdit)
    , m_explained(makeReadOnly(tr("The line as each form reads it"), 6))
    , m_state(makeParagraph(LabelKind::text))
{
    setMinimumWidth(kWidth);
    setAcceptDrops(true);
    addFiles();
    auto* form = new QWidget;
    m_form = fillColumn(form, {}, space::kGap);
    body()->addWidget(m_scroll = new FormScroll(form), 1);
    addPreview();
    addQuestions();
    addTester();
    body()->addWidget(m_state);
    addButtons();
    connect(&m_clock, &QTimer::timeout, this,
            [this] { m_progress->setValue(m_bytes->all > 0 ? int(100 * m_bytes->done / m_bytes->all) : 0); });
    connect(&m_session, &Session::accessChanged, this, [this] {
        if (!m_isStoring)
            showState();
    });
    showState();
}

void ImportDialog::addFiles()
{
    auto* files = new QPushButton(tr("Add &files…"));
    auto* folder = new QPushButton(tr("Add f&older…"));
    connect(files, &QPushButton::clicked, this, [this] { choose(false); });
    connect(folder, &QPushButton::clicked, this, [this] { choose(true); });
    m_progress->setRange(0, 100);
    m_progress->setFixedWidth(140);
    m_progress->setAccessibleName(tr("Progress of reading"));
    m_progress->hide();
    m_source->setText(tr("A folder stands for the logs in it. Files can be dropped here."));
    body()->addLayout(makeRow({files, folder, {m_source, 1}, m_progress}));
    m_inputs = {files, folder};
    files->setFocus();
}

void ImportDialog::addPreview()
{
    m_runs->setHorizontalHeaderLabels({tr("Log"), tr("Form"), tr("Ranks"), tr("Records"), tr("Rate")});
    for (int column = kNumbers; column < m_runs->columnCount(); ++column)
        m_runs->setHeaderData(column, Qt::Horizontal, int(Qt::AlignRight | Qt::AlignVCenter), Qt::TextAlignmentRole);
    m_table->setModel(m_runs);
    m_table->setAccessibleName(tr("Runs that were found"));
    setUpTable(*m_table, m_theme);
    fitColumns(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->setMinimumHeight(150);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ImportDialog::showChosen);
    connect(m_runs, &QStandardItemModel::itemChanged, this, &ImportDialog::leaveOut);
    m_form->addLayout(makeRow({{m_table, 3}, {m_details, 2}}, space::kGap), 1);
}

/// Questions that every log may need are shown from the beginning, the rest once the answer is missing.
void ImportDialog::addQuestions()
{
    m_model->addItem(tr("not stated"), QString());
    for (const spec::Level& level : spec::offeredLevels(*spec::findSetting("model")))
        m_model->addItem(toQt(level.label), toQt(level.word));
    m_experiment->setEditable(true);
    m_experiment->setInsertPolicy(QComboBox::NoInsert);
    m_experiment->setCompleter(nullptr); // it would make a new name into that of an experiment which begins like it
    m_experiment->lineEdit()->setPlaceholderText(tr("A new one, named after the first log"));
    m_experiment->addItem(QString());
    for (const store::ExperimentRow& row : m_session.experiments().rows())
        if (isOffered(row))
            m_experiment->addItem(toQt(row.name));
    m_questions->addRow(tr("E&xperiment"), m_experiment);
    m_questions->addRow(tr("&Model"), m_model);
    m_lastQuestion = m_model;
    m_inputs.push_back(m_model);
    connect(m_model, &QComboBox::activated, this, &ImportDialog::read);
    m_form->addLayout(m_questions);
}

void ImportDialog::addTester()
{
    m_line->setPlaceholderText(tr("A line of a log, to see what each form makes of it"));
    m_questions->addRow(tr("&Paste a line"), m_line);
    m_explained->setFixedHeight(m_explained->minimumHeight());
    m_explained->hide();
    connect(m_line, &QLineEdit::textChanged, this, &ImportDialog::explain);
    m_form->addWidget(m_explained);
}

void ImportDialog::addButtons()
{
    m_cancel = addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
    m_store = addButton(tr("Import"), QDialogButtonBox::AcceptRole, [this] { store(); });
    setStandard(m_store);
}

void ImportDialog::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void ImportDialog::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            paths << url.toLocalFile();
    add(paths);
}

/// Enter behind a pasted line asks about the line, and imports nothing.
void ImportDialog::keyPressEvent(QKeyEvent* event)
{
    if (!m_line->hasFocus() || (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter))
        QuestionDialog::keyPressEvent(event);
}

void ImportDialog::choose(bool folder)
{
    auto* dialog = new QFileDialog(this, folder ? tr("Folder of logs") : tr("Logs"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &ImportDialog::add);
    dialog->open();
}

void ImportDialog::add(const QStringList& paths)
{
    for (const QString& path : paths)
        if (!m_paths.contains(path))
            m_paths << path;
    m_source->setText(m_paths.size() == 1 ? m_paths.front() : tr("%n files and folders", "", int(m_paths.size())));
    read();
}

Result<imports::Answers> ImportDialog::answers() const
{
    imports::Answers answers;
    const auto add = [&](const std::string& key, const QString& text) {
        return text.trimmed().isEmpty() ? Result<void>() : addAnswer(answers, key + "=" + toUtf8(text.trimmed()));
    };
    TRY(add("model", m_model->currentData().toString()));
    for (const auto& [key, field] : m_fields)
        TRY(add(key, answerIn(*field)));
    return answers;
}

void ImportDialog::read()
{
    m_reading.cancel(); // with the answers before
    m_isReading = false;
    m_clock.stop();
    m_import.reset();
    const auto said = answers();
    if (!said)
        return showProblem(said.error());
    if (m_paths.isEmpty())
        return showState();
    imports::PreviewRequest request{.paths = {}, .answers = *said};
    for (const QString& path : m_paths)
        request.paths.push_back(toPath(path));
    m_bytes = std::make_shared<BytesRead>();
    request.onBytes = [bytes = m_bytes](std::uint64_t done, std::uint64_t all) {
        bytes->done = done;
        bytes->all = all;
    };
    const auto work = [request](const std::stop_token& stop) {
        imports::PreviewRequest stoppable = request;
        stoppable.stop = stop;
        return std::make_shared<Result<imports::Previews>>(previewLogs(stoppable, adapters::usersLogFormats()));
    };
    m_isReading = true;
    m_clock.start(100);
    runApart(m_reading, work, [this](const std::shared_ptr<Result<imports::Previews>>& previews) { show(*previews); });
    showState();
}

void ImportDialog::show(Result<imports::Previews>& previews)
{
    m_isReading = false;
    m_clock.stop();
    if (!previews)
        return showProblem(previews.error());
    m_import = std::make_shared<imports::Import>();
    m_import->previews = std::move(*previews);
    m_blocked.clear();
    for (LogPreview& log : m_import->previews.logs) {
        m_blocked.push_back(isBlocked(log));
        log.isLeftOut = m_leftOut.contains(pathOf(log));
    }
    showRuns();
    askForMissing();
    showState();
}

void ImportDialog::askForMissing()
{
    for (const std::string& key : missingIn(m_import->previews.logs))
        askFor(key);
    for (std::size_t i = 0; i < m_blocked.size(); ++i) {
        const LogPreview& log = m_import->previews.logs[i];
        if (log.isLeftOut || m_blocked[i])
            continue;
        if (!log.links.empty())
            askFor("site"); // whose card Calibration is to show them
        if (log.log.files.size() > 1)
            askFor(std::string(imports::kSeparateFiles));
    }
}

void ImportDialog::showRuns()
{
    m_runs->removeRows(0, m_runs->rowCount());
    m_rows.clear();
    const auto& logs = m_import->previews.logs;
    for (std::size_t log = 0; log < logs.size(); ++log) {
        for (std::size_t run = 0; run < logs[log].runs.size(); ++run)
            addRow(rowOf(logs[log], logs[log].runs[run]), log, run);
        for (std::size_t link = 0; link < logs[log].links.size(); ++link)
            addRow(rowOf(logs[log], logs[log].links[link]), log, link);
        if (logs[log].runs.empty() && logs[log].links.empty())
            addRow({toQt(nameOf(logs[log])), tr("not known")}, log, 0);
    }
    fitColumns(*m_table);
    if (m_runs->rowCount() > 0)
        chooseRow(*m_table, m_runs->index(0, 0));
    showChosen();
}

void ImportDialog::addRow(const QStringList& texts, std::size_t log, std::size_t run)
{
    const LogPreview& preview = m_import->previews.logs[log];
    QList<QStandardItem*> items;
    for (const QString& text : texts) {
        items << new QStandardItem(text);
        items.back()->setEditable(false);
        if (items.size() > kNumbers)
            items.back()->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    items.front()->setCheckable(!m_blocked[log]);
    if (items.front()->isCheckable())
        items.front()->setCheckState(preview.isLeftOut ? Qt::Unchecked : Qt::Checked);
    m_runs->appendRow(items);
    m_rows.emplace_back(log, run);
}

/// A log's runs are stored together or not at all.
void ImportDialog::leaveOut(const QStandardItem* item)
{
    if (!m_import || !item->isCheckable())
        return;
    const std::size_t log = m_rows[std::size_t(item->row())].first;
    LogPreview& preview = m_import->previews.logs[log];
    const bool isLeftOut = item->checkState() == Qt::Unchecked;
    if (preview.isLeftOut == isLeftOut)
        return;
    preview.isLeftOut = isLeftOut;
    if (isLeftOut)
        m_leftOut.insert(pathOf(preview));
    else
        m_leftOut.erase(pathOf(preview));
    for (int row = 0; row < m_runs->rowCount(); ++row)
        if (m_rows[std::size_t(row)].first == log)
            m_runs->item(row)->setCheckState(item->checkState());
    askForMissing();
    showState();
}

void ImportDialog::showChosen()
{
    const int row = m_table->currentIndex().row();
    if (!m_import || row < 0 || row >= int(m_rows.size()))
        return m_details->clear();
    const auto [log, run] = m_rows[std::size_t(row)];
    const LogPreview& chosen = m_import->previews.logs[log];
    QStringList lines = run < chosen.runs.size()    ? textOf(chosen, chosen.runs[run])
                        : run < chosen.links.size() ? textOf(chosen, chosen.links[run])
                                                    : QStringList();
    for (const imports::Note& note : notesOf(chosen))
        lines << QStringLiteral("• ") + noteText(note);
    m_details->setPlainText(lines.join(QLatin1Char('\n')));
}

void ImportDialog::askFor(const std::string& key)
{
    if (m_fields.contains(key))
        return;
    const imports::Question question = imports::questionFor(key);
    QWidget* field = makeAnswerField(question, [this] { read(); });
    m_questions->insertRow(m_questions->rowCount() - 1, toQt(question.label), field); // above the pasted line
    m_questions->labelForField(field)->show();
    setTabOrder(m_lastQuestion, field);
    field->show(); // or it gets no focus before the layout shows it
    if (m_fields.empty())
        field->setFocus();
    m_inputs.push_back(field);
    m_fields.emplace(key, field);
    m_lastQuestion = field;
    fitHeightSoon([this] { m_scroll->ensureWidgetVisible(focusWidget()); });
}

void ImportDialog::explain()
{
    const std::string line = toUtf8(m_line->text());
    m_explained->setVisible(!line.empty());
    const imports::LineExplained explained = imports::explainLine(line, adapters::usersLogFormats());
    QStringList lines;
    for (const imports::LineReading& reading : explained.readings) {
        lines << QStringLiteral("%1: %2 (%3)")
                     .arg(toQt(reading.format->title), toQt(reading.form->pattern.text()),
                          toQt(imports::subjectText(*reading.form)));
        for (const imports::FieldReading& field : reading.fields)
            lines << QStringLiteral("    %1 = %2").arg(toQt(field.name)).arg(field.value);
    }
    if (explained.isRow)
        lines << tr("It may be a row of a table of links, which can be read only with the titles above it.");
    else if (explained.readings.empty())
        lines << tr("No form has such a line.");
    if (explained.rank)
        lines.prepend(tr("Its tag says that it is a line of rank %1.").arg(*explained.rank));
    m_explained->setPlainText(lines.join(QLatin1Char('\n')));
    fitHeightSoon([this] { m_scroll->ensureWidgetVisible(m_explained); });
}

void ImportDialog::showState()
{
    setStyled(*m_state, "kind", QStringLiteral("text"));
    m_progress->setVisible(m_isReading);
    const bool isRead = m_import && !m_isReading;
    const auto& logs = isRead ? m_import->previews.logs : std::vector<LogPreview>();
    const auto missing = missingIn(logs);
    int runs = 0;
    for (const LogPreview& log : logs)
        runs += log.isLeftOut ? 0 : int(completeIn(log));
    const auto blocked = isRead ? int(std::ranges::count(m_blocked, true)) : 0;
    const bool isWriting = m_session.access() == Session::Access::writing;
    m_table->setEnabled(isRead);
    m_store->setText(runs > 0 ? tr("Import %n run(s)", "", runs) : tr("Import"));
    m_store->setEnabled(isRead && isWriting && runs > 0 && missing.empty());
    QStringList texts;
    if (!isWriting)
        texts << messageOf(m_session.obstacle());
    if (isRead && logs.empty())
        texts << tr("There is no log among these files.");
    if (!missing.empty())
        texts << tr("Fill in above what the logs do not say, or clear the checkmarks of those logs.");
    if (blocked > 0)
        texts << tr("%n log(s) have no readable rate and are left out.", "", blocked);
    if (isRead && m_import->previews.passedOver > 0)
        texts << tr("%n file(s) are not logs and were skipped; the first: %1.", "", int(m_import->previews.passedOver))
                     .arg(toQt(m_import->previews.firstPassedOver.filename()));
    if (isRead && !m_import->previews.unreadable.empty())
        texts << tr("%n log(s) cannot be read and were skipped; the first: %1", "",
                    int(m_import->previews.unreadable.size()))
                     .arg(toQt(m_import->previews.unreadable.front().message));
    for (const std::string& refusal : adapters::usersAdapters().refusals())
        texts << tr("%1 No log of this system is recognised.").arg(toQt(refusal));
    m_state->setText(texts.join(QLatin1Char(' ')));
    m_state->setVisible(!texts.isEmpty());
}

void ImportDialog::store()
{
    m_import->experiment = toUtf8(m_experiment->currentText().trimmed());
    setStoring(true);
    m_state->setText(tr("Storing the runs…"));
    m_state->show();
    m_session.request<imports::Imported>(
        this, calling(&Conductor::importLogs, std::shared_ptr<const imports::Import>(m_import)),
        [this, stored = m_import](const Result<imports::Imported>& done) {
            setStoring(false);
            if (!done) {
                showProblem(done.error());
                return m_store->setEnabled(true); // once more, when there is room
            }
            Q_EMIT imported(toQt(done->experiment), leftOutTexts(stored->previews, *done));
            accept();
        });
}

void ImportDialog::setStoring(bool isStoring)
{
    for (QWidget* input : m_inputs)
        input->setEnabled(!isStoring);
    setAcceptDrops(!isStoring);
    m_table->setEnabled(!isStoring);
    m_store->setEnabled(!isStoring);
    m_cancel->setEnabled(!isStoring);
    m_isStoring = isStoring;
}

/// Runs that are being stored are stored to their end, which says what was left out: until then the dialog stays.
void ImportDialog::reject()
{
    if (!m_isStoring)
        QuestionDialog::reject();
}

void ImportDialog::showProblem(const Error& error)
{
    m_isReading = false;
    showState();
    setStyled(*m_state, "kind", QStringLiteral("error"));
    m_state->setText(messageOf(error));
    m_state->show();
    m_store->setEnabled(false);
}

} // namespace ringside
