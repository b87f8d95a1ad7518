// Hosts that leave packets in their buffers: those of a closed loop, and blocked ones.
//
// In a closed loop, packets that hosts offer are requests, in virtual network 0. A host has at most `outstanding` requests without a
// reply, and offers the next one when a reply has come. It takes a request from a buffer only if fewer than `reply_queue` replies are owed or wait in it; while it
// does not, the packets behind the request wait as well. Each request that was taken is answered by a reply of as many flits
// `reply_delay` cycles later, in virtual network 1, or 0 if there is one. A host always takes replies that are in front.
#pragma once
#include "sources.hpp"

// A flit is in the buffer of a channel of a host.
static void store(const Traffic& traffic, Host& host, Counts& counts, int channel, const Arriving& packet, bool head, bool tail) {
    Inbox& inbox = host.inboxes[channel];
    const bool request = traffic.outstanding && !packet.reply;
    if (head) inbox.packets.push({packet.source, 0, 0, request, false, false});
    Inbox::Entry& entry = inbox.packets.items.back();
    ++entry.flits, ++entry.waiting;
    if (!tail) return;
    entry.whole = true;
    // A reply is owed from now on.
    counts.queued += request;
    host.outstanding -= traffic.outstanding && packet.reply;
}

// Whether the host takes a flit from the buffer of a channel, which returns a credit.
static bool takes(const Sim& s, const Traffic& traffic, Host& host, u32 me, int channel, int network, u64 now) {
    Inbox& inbox = host.inboxes[channel];
    if (inbox.packets.empty()) return false;
    Inbox::Entry& entry = inbox.packets.front();
    if (!entry.taken) {
        if (traffic.blocked && traffic.blocked[me] >> network & 1) return false;
        if (entry.request && host.replies >= traffic.reply_queue) return false;
        host.replies += entry.request;
        entry.taken = true;
    }
    if (!entry.waiting) return false;
    --entry.waiting;
    if (entry.whole && !entry.waiting) {
        if (entry.request) {
            const u64 ready = now + 1 + traffic.reply_delay;
            Packet reply{entry.source, entry.flits, ready, 0, 0, false};
            reply.network = s.c.virtual_networks > 1, reply.reply = true;
            host.owed.push(reply);
        }
        inbox.packets.pop();
    }
    return true;
}

// Credits of the hosts of a port that may leave flits in their buffers.
__attribute__((noinline)) static void take_flits(Sim& s, Word& w, int port) {
    const int link = s.c.ports + port;
    for (int network = 0; network < s.c.virtual_networks; ++network)
        for (int channel = s.c.network_first[network]; channel < s.c.network_first[network + 1]; ++channel) {
            Row& credits = w.row(s.c.tx_credit[link * s.c.channels + channel]);
            for (int g = 0; g < GROUPS; ++g)
                each(w.holds[port][g], [&](int i) {
                    const int copy = 64 * g + i;
                    const Traffic& traffic = s.traffic[s.c.point_of[w.number * COPIES + copy]];
                    const u32 me = (w.number * COPIES + copy - traffic.base) * s.c.hosts + port;
                    const u64 bit = (u64)1 << i;
                    if (takes(s, traffic, w.hosts[port * COPIES + copy], me, channel, network, w.now)) credits[g] |= bit;
                    else credits[g] &= ~bit;
                });
        }
}

// Replies that are ready enter their queues.
__attribute__((noinline)) static void reply(Sim& s, Word& w, u64 now) {
    for (int port = 0; port < s.c.hosts; ++port)
        for (int g = 0; g < GROUPS; ++g)
            each(w.holds[port][g], [&](int i) {
                const int copy = 64 * g + i, point = s.c.point_of[w.number * COPIES + copy];
                Host& host = w.hosts[port * COPIES + copy];
                while (!host.owed.empty() && host.owed.front().offered <= now) {
                    Packet packet = host.owed.front();
                    host.owed.pop();
                    packet.measured = s.measuring[point];
                    offer(s, w, w.slot_of[point], host, packet);
                    w.busy[port * GROUPS + g] |= (u64)1 << i;
                }
            });
}
