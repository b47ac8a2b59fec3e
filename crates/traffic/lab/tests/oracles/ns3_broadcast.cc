// Stations that stand still and broadcast ten times a second by IEEE 802.11p, in ns-3 3.37: how many
// messages each of them hears, and what share arrives by distance.
//
// Usage: ns3_broadcast POSITIONS BYTES SECONDS SEED
// POSITIONS has a line "x y" in metres for each station; BYTES is the length of a frame with its MAC
// header and check sequence. Prints JSON.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <vector>

#include "ns3/config.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/ocb-wifi-mac.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wave-mac-helper.h"
#include "ns3/wifi-80211p-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

using namespace ns3;

namespace {

const double kPeriod = 0.1;    // seconds
const double kWarmUp = 0.5;    // seconds that are not counted
const double kBin = 50.0;      // metres
const size_t kBins = 24;       // up to 1,200 m
// QoS header, LLC and check sequence.
const uint32_t kOverhead = 26 + 8 + 4;

std::vector<std::pair<double, double>> g_place;
std::map<Mac48Address, uint32_t> g_number;
std::vector<uint64_t> g_sent, g_heard_by_bin(kBins);
std::vector<std::vector<uint32_t>> g_heard; // by receiver and window
uint32_t g_windows = 0;

double Distance(uint32_t one, uint32_t other) {
    return std::hypot(g_place[one].first - g_place[other].first,
                      g_place[one].second - g_place[other].second);
}

bool Heard(Ptr<NetDevice> device, Ptr<const Packet>, uint16_t, const Address& from) {
    uint32_t receiver = device->GetNode()->GetId();
    uint32_t sender = g_number.at(Mac48Address::ConvertFrom(from));
    double at = Simulator::Now().GetSeconds() - kWarmUp;
    if (at >= 0) {
        auto window = static_cast<uint32_t>(at / kPeriod);
        if (window < g_windows) {
            g_heard[receiver][window]++;
            auto bin = static_cast<size_t>(Distance(receiver, sender) / kBin);
            if (bin < kBins) {
                g_heard_by_bin[bin]++;
            }
        }
    }
    return true;
}

void Send(Ptr<NetDevice> device, uint32_t bytes) {
    Ptr<Packet> packet = Create<Packet>(bytes - kOverhead);
    SocketPriorityTag tag;
    tag.SetPriority(7); // AC_VO
    packet->AddPacketTag(tag);
    device->Send(packet, Mac48Address::GetBroadcast(), 0x88dc);
    double at = Simulator::Now().GetSeconds() - kWarmUp;
    if (at >= 0 && at < g_windows * kPeriod) {
        g_sent[device->GetNode()->GetId()]++;
    }
    Simulator::Schedule(Seconds(kPeriod), &Send, device, bytes);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: ns3_broadcast POSITIONS BYTES SECONDS SEED\n";
        return 2;
    }
    std::ifstream file(argv[1]);
    for (double x, y; file >> x >> y;) {
        g_place.emplace_back(x, y);
    }
    auto bytes = static_cast<uint32_t>(std::atoi(argv[2]));
    double seconds = std::atof(argv[3]);
    RngSeedManager::SetSeed(static_cast<uint32_t>(std::atoi(argv[4])));
    g_windows = static_cast<uint32_t>(std::lround((seconds - kWarmUp) / kPeriod));
    g_sent.resize(g_place.size());
    g_heard.assign(g_place.size(), std::vector<uint32_t>(g_windows));

    Ptr<YansWifiChannel> channel = CreateObject<YansWifiChannel>();
    Ptr<FriisPropagationLossModel> loss = CreateObject<FriisPropagationLossModel>();
    loss->SetFrequency(5.89e9);
    channel->SetPropagationLossModel(loss);
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());

    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.SetErrorRateModel("ns3::NistErrorRateModel");
    // As Veins has it: what is above the sensitivity is locked to, whatever its signal-to-noise.
    phy.DisablePreambleDetectionModel();
    phy.Set("RxSensitivity", DoubleValue(-110.0));
    phy.Set("CcaEdThreshold", DoubleValue(-65.0));
    phy.Set("CcaSensitivity", DoubleValue(-82.0));
    phy.Set("TxPowerStart", DoubleValue(10.0 * std::log10(20.0)));
    phy.Set("TxPowerEnd", DoubleValue(10.0 * std::log10(20.0)));
    phy.Set("TxGain", DoubleValue(0.0));
    phy.Set("RxGain", DoubleValue(0.0));
    // kTB over 10 MHz at 290 K is -103.98 dBm: noise of -98 dBm.
    phy.Set("RxNoiseFigure", DoubleValue(5.98));
    phy.Set("ChannelSettings", StringValue("{178, 10, BAND_5GHZ, 0}"));

    QosWaveMacHelper mac = QosWaveMacHelper::Default();
    Wifi80211pHelper wifi = Wifi80211pHelper::Default();
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode",
                                 StringValue("OfdmRate6MbpsBW10MHz"), "ControlMode",
                                 StringValue("OfdmRate6MbpsBW10MHz"), "NonUnicastMode",
                                 StringValue("OfdmRate6MbpsBW10MHz"));
    NodeContainer nodes;
    nodes.Create(g_place.size());
    for (uint32_t at = 0; at < nodes.GetN(); at++) {
        Ptr<ConstantPositionMobilityModel> place = CreateObject<ConstantPositionMobilityModel>();
        place->SetPosition(Vector(g_place[at].first, g_place[at].second, 1.5));
        nodes.Get(at)->AggregateObject(place);
    }
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    Ptr<UniformRandomVariable> phase = CreateObject<UniformRandomVariable>();
    for (uint32_t at = 0; at < devices.GetN(); at++) {
        Ptr<NetDevice> device = devices.Get(at);
        g_number[Mac48Address::ConvertFrom(device->GetAddress())] = at;
        device->SetReceiveCallback(MakeCallback(&Heard));
        Simulator::Schedule(Seconds(phase->GetValue(0.0, kPeriod)), &Send, device, bytes);
    }
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();

    std::vector<uint64_t> possible(kBins);
    for (uint32_t one = 0; one < g_place.size(); one++) {
        for (uint32_t other = 0; other < g_place.size(); other++) {
            auto bin = static_cast<size_t>(Distance(one, other) / kBin);
            if (one != other && bin < kBins) {
                possible[bin] += g_sent[one];
            }
        }
    }
    double sum = 0;
    uint32_t most = 0;
    for (const auto& windows : g_heard) {
        for (uint32_t count : windows) {
            sum += count;
            most = std::max(most, count);
        }
    }
    std::cout << "{\"stations\":" << g_place.size() << ",\"bytes\":" << bytes
              << ",\"seconds\":" << seconds << ",\"mean\":" << sum / g_windows / g_place.size()
              << ",\"most\":" << most << ",\"bin_metres\":" << kBin << ",\"delivered\":[";
    for (size_t bin = 0; bin < kBins; bin++) {
        double share = possible[bin] ? double(g_heard_by_bin[bin]) / possible[bin] : -1;
        std::cout << (bin ? "," : "") << share;
    }
    std::cout << "]}\n";
    Simulator::Destroy();
    return 0;
}
