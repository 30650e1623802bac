// The peer of Airwire's ieee802154 link: two ns-3 devices 5 m apart, unslotted CSMA/CA, data frame, acknowledgement.
// A closed loop: the next message is handed over when the MAC confirms the one before. Prints one line of JSON.
// Only the bench runs it; ns3_links.py compiles it against the headers of the PyPI package ns3.

#include "ns3/core-module.h"
#include "ns3/lr-wpan-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace ns3;
using namespace ns3::lrwpan;

namespace
{

struct Loop
{
    Ptr<LrWpanMac> sender;
    uint32_t messages;
    uint32_t payloadBytes;
    McpsDataRequestParams request;
    std::vector<int64_t> oneWay;
    std::vector<int64_t> cycle;
    uint32_t confirmed = 0;
    uint32_t failed = 0;
    int64_t handedOver = 0;

    void Send()
    {
        handedOver = Simulator::Now().GetNanoSeconds();
        sender->McpsDataRequest(request, Create<Packet>(payloadBytes));
    }

    void Indication(McpsDataIndicationParams, Ptr<Packet>)
    {
        oneWay.push_back(Simulator::Now().GetNanoSeconds() - handedOver);
    }

    void Confirm(McpsDataConfirmParams answer)
    {
        cycle.push_back(Simulator::Now().GetNanoSeconds() - handedOver);
        failed += answer.m_status != MacStatus::SUCCESS;
        if (++confirmed < messages)
        {
            Send();
        }
        else
        {
            Simulator::Stop();
        }
    }
};

double
MeanMicroseconds(const std::vector<int64_t>& nanoseconds)
{
    double sum = 0;
    for (int64_t value : nanoseconds)
    {
        sum += value;
    }
    return nanoseconds.empty() ? 0 : sum / nanoseconds.size() / 1000;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 4)
    {
        std::fprintf(stderr, "usage: %s MESSAGES PAYLOAD_BYTES SEED\n", argv[0]);
        return 2;
    }
    Loop loop;
    loop.messages = std::atoi(argv[1]);
    loop.payloadBytes = std::atoi(argv[2]);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(std::atoi(argv[3]));

    NodeContainer nodes;
    nodes.Create(2);
    MobilityHelper mobility;
    auto positions = CreateObject<ListPositionAllocator>();
    positions->Add(Vector(0, 0, 0));
    positions->Add(Vector(5, 0, 0));
    mobility.SetPositionAllocator(positions);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);

    LrWpanHelper helper;
    helper.SetPropagationDelayModel("ns3::ConstantSpeedPropagationDelayModel");
    helper.AddPropagationLossModel("ns3::LogDistancePropagationLossModel");
    NetDeviceContainer devices = helper.Install(nodes);
    helper.CreateAssociatedPan(devices, 7);

    loop.sender = DynamicCast<LrWpanNetDevice>(devices.Get(0))->GetMac();
    auto receiver = DynamicCast<LrWpanNetDevice>(devices.Get(1))->GetMac();
    loop.request.m_dstPanId = 7;
    loop.request.m_dstAddr = receiver->GetShortAddress();
    loop.request.m_txOptions = TX_OPTION_ACK;
    loop.sender->SetMcpsDataConfirmCallback(MakeCallback(&Loop::Confirm, &loop));
    receiver->SetMcpsDataIndicationCallback(MakeCallback(&Loop::Indication, &loop));

    Simulator::Schedule(Seconds(1), &Loop::Send, &loop);
    auto before = std::chrono::steady_clock::now();
    Simulator::Run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
    std::printf("{\"wall_s\": %.6f, \"simulated_s\": %.6f, \"events\": %llu, \"messages\": %u, \"failed\": %u, "
                "\"one_way_us\": %.3f, \"cycle_us\": %.3f}\n",
                wall.count(),
                Simulator::Now().GetSeconds(),
                static_cast<unsigned long long>(Simulator::GetEventCount()),
                loop.confirmed,
                loop.failed,
                MeanMicroseconds(loop.oneWay),
                MeanMicroseconds(loop.cycle));
    Simulator::Destroy();
    return 0;
}
