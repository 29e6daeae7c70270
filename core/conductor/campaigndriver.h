// SPDX-License-Identifier: MIT
// Carries out what core/campaign decides for the campaigns of one site: asks the relay, records the outcome in the
// store.
#pragma once

#include "core/campaign/campaign.h"
#include "core/conductor/campaignfiles.h"
#include "core/conductor/completion.h"
#include "core/conductor/controlorder.h"
#include "core/conductor/sitelink.h"
#include "core/conductor/storethread.h"
#include "core/jobs/schedulers/table.h"
#include "core/protocol/plan.h"

#include <functional>
#include <map>
#include <stop_token>

namespace ringside {

/// Used on its site's thread only. Must outlive the store's thread, whose queue may hold jobs of it.
class CampaignDriver
{
public:
    /// All outlive it. `stop` ends waits for the store.
    CampaignDriver(SiteLink& link, StoreThread& store, Sink& sink, std::stop_token stop);

    /// Takes over a campaign from the store. Completed once the site has it, or when it waits for another one.
    void watch(const CampaignId& id, Completion<> done);
    /// The same, with its plan as it is stored: reading one of 10,000 runs again is slow.
    void watch(CampaignPlan plan, Completion<> done);
    void control(const ControlOrder& order, Completion<> done);
    void collect(Completion<> done);
    /// Completed once all of the log that is there was shown, or another one is asked for.
    void followLog(const RunId& run, const CampaignId& campaign, Completion<> done);

    /// True while a relay is needed.
    bool needsContact() const { return isChosen() || !m_logsOnly.empty() || !m_logRun.empty(); }
    void onConnected();
    /// Contact was lost, or a try to get it failed.
    void onDisconnected(const Error& error);
    /// The error by which contact was lost, with what that means for the runs.
    Error withOutlook(Error error) const;
    void handle(const wire::Message& message);
    /// To be called every second or so, and after every message.
    void tick();

private:
    struct Watched
    {
        explicit Watched(const CampaignId& id)
            : files(id)
        {
        }
        campaign::State state;
        campaign::Stage stored = campaign::Stage::waiting; ///< as it was last written down
        CampaignFiles files;
        CampaignPlan plan;
        store::Submission submission;
        std::int64_t createdAt = 0;
        Completion<> launch;         ///< completed once the site has it
        std::uint32_t follow = 0;    ///< request of the latest Follow: only what it says counts
        bool isRead = false;         ///< all that was there when last asked for has been read …
        bool isFresh = false;        ///< … and where that leaves a doubt, the site has said how it stands
        std::optional<Error> unread; ///< why it could not be read when last asked for; it is asked for again
        std::optional<Error> failed; ///< why it could not be submitted; the site may have it all the same
        std::int64_t readAgainNs = 0;
    };
    enum class Purpose
    {
        other,
        submission, ///< or what became of it
        order,      ///< of a person, and written down: without an answer it is sent again at the next contact
        reading,    ///< whatever is new of a campaign
        log         ///< an error is reported only to the caller that asked for it
    };
    /// A request that awaits its reply.
    struct Request
    {
        CampaignId campaign;
        Completion<> done = {};
        Purpose purpose = Purpose::other;
        Control::Kind order = Control::Kind::hold; ///< as far as that is its purpose
    };

    Watched* find(const CampaignId& id);
    static jobs::Submitter submitterOf(const Watched& watched);
    static bool isByHand(const Watched& watched);
    /// True if it is handed over although others are under way: a job of one run, which has its allocation for itself,
    /// or one that a person submits when he likes.
    static bool goesBeside(const Watched& watched);
    /// A campaign as it is written down.
    struct Stored
    {
        store::CampaignRow row;
        campaign::State state;
    };
    Result<Stored> read(const CampaignId& id);
    Result<Watched> load(const CampaignId& id, std::optional<CampaignPlan> plan);
    void watch(const CampaignId& id, std::optional<CampaignPlan> plan, Completion<> done);
    /// A site carries out one campaign at a time: two would spoil each other's measurements.
    bool isChosen() const { return has(campaign::Stage::submitting) || has(campaign::Stage::submitted); }
    /// One that a person submits does not count: when it runs is not ours to say.
    bool isOccupied() const;
    bool has(campaign::Stage stage) const;
    void chooseNext();
    Result<void> narrow(Watched& watched);
    void forgetEnded();

    void apply(Watched& watched, const campaign::Event& event);
    void apply(Watched& watched, const campaign::Event& event, std::vector<store::Arrival>& arrivals);
    void carryOut(Watched& watched, const std::vector<campaign::Action>& actions,
                  std::vector<store::Arrival>& arrivals);
    void flush(std::vector<store::Arrival>& arrivals);
    void act(Watched& watched, const campaign::SaveStage& action);
    void act(Watched& watched, const campaign::SaveHeld& action);
    void act(Watched& watched, const campaign::SaveCancelled&) { announceExperiment(watched); }
    void act(Watched& watched, const campaign::SaveRunCancelled& action);
    void act(Watched& watched, const campaign::SaveContact& action);
    void act(Watched& watched, const campaign::Submit& action);
    void act(Watched& watched, const campaign::AskStatus& action);
    void act(Watched& watched, const campaign::Follow& action);
    void act(Watched& watched, const Control& control);
    void act(Watched&, const campaign::SaveRun&) {} // goes with the arrivals

    void keep(StoreThread::Job job);
    /// As `keep`; the sink is informed where the change fails.
    void edit(std::function<Result<void>(store::Database&)> change);
    void announceExperiment(const Watched& watched);
    template <class Message> Result<std::uint32_t> ask(Message message, Request request);
    void askStatus(const Watched& watched, Purpose purpose);
    Result<std::uint32_t> sendFollow(CampaignFiles& files, Request request);

    void on(const wire::SubmitReply& reply);
    void on(const wire::StatusReply& reply);
    void on(const wire::ControlReply& reply);
    void on(const wire::ErrorReply& reply);
    void on(const wire::FileChunk& chunk);
    void on(const wire::FollowState& follow);
    template <class Other> void on(const Other&) {} // a relay sends nothing else that asks for an answer
    Request takeRequest(std::uint32_t id);
    void applyStatus(Watched& watched, const wire::CampaignStatus& status);
    std::optional<Error> elsewhere(const Watched& watched) const;
    Error explained(const Watched* watched, const Error& error) const;
    void takeContent(Watched& watched, const wire::FileChunk& chunk, ChunkContent content);
    static bool isForNow(const Watched& watched, const Error& error);
    void postpone(Watched& watched, Error error);
    void noteUnread(Watched& watched, const Error& error);
    void await(Watched& watched, const Result<std::uint32_t>& follow);
    void refuse(Watched& watched, const Error& error);
    void failSubmission(Watched& watched, const Error& error);
    void settleSubmission(Watched& watched, const wire::CampaignStatus& status);
    void failReading(Watched& watched, std::uint32_t request, const Error& error);
    void readAgain(Watched& watched);
    void showLog(const CampaignId& campaign, const ChunkContent& content);

    void completeCollects();
    std::vector<CampaignId> affected(const ControlOrder& order) const;
    struct Decision
    {
        campaign::State state;
        std::vector<campaign::Action> actions;
    };
    Result<Decision> decide(const Watched& watched, const campaign::Event& order);

    SiteLink& m_link;
    StoreThread& m_store;
    Sink& m_sink;
    std::stop_token m_stop;
    std::map<CampaignId, Watched> m_campaigns;
    std::map<std::uint32_t, Request> m_requests;
    Completion<> m_command; ///< of the command whose requests are being sent
    std::vector<Completion<>> m_collects;
    RunId m_logRun; ///< whose log is shown
    CampaignId m_logCampaign;
    std::uint32_t m_logFollow = 0;                  ///< request of the latest Follow for a log
    std::map<CampaignId, CampaignFiles> m_logsOnly; ///< of ended campaigns whose logs are asked for
    std::int64_t m_tickedNs = 0;
    std::int64_t m_chooseAtNs = 0;
};

} // namespace ringside
