/* The AUTOSAR-shaped module with stubs for the stack: a crypto service manager with the library's own
 * code, a memory manager that writes later, may fail, and loses what was not finished at a reset. */
#include <stdio.h>
#include <string.h>

#include "../../autosar/SecOC.c"

static const uint8 STREAM_KEY[16] = {1}, MASTER_KEY[16] = {2};
static uint64_t flash[4], writing[4];
static uint8 is_writing[4], fails;
static unsigned results[4], delivered;
static uint8 on_bus[64];
static PduLengthType on_bus_length;
static unsigned sent;

static const uint8 *key_of_job(uint32 job) { return job == 9 ? MASTER_KEY : STREAM_KEY; }

Std_ReturnType Csm_MacGenerate(uint32 jobId, uint8 mode, const uint8 *dataPtr, uint32 dataLength,
                               uint8 *macPtr, uint32 *macLengthPtr)
{
    *macLengthPtr = 16;
    return mode == SINGLE_CALL && waywarden_aes_cmac(key_of_job(jobId), dataPtr, dataLength,
                                                     macPtr) == WAYWARDEN_STATUS_OK
               ? E_OK
               : E_NOT_OK;
}

Std_ReturnType Csm_MacVerify(uint32 jobId, uint8 mode, const uint8 *dataPtr, uint32 dataLength,
                             const uint8 *macPtr, uint32 macLength, uint8 *verifyPtr)
{
    uint8 own[16];
    uint32 length = 16;
    if (Csm_MacGenerate(jobId, mode, dataPtr, dataLength, own, &length) != E_OK) {
        return E_NOT_OK;
    }
    *verifyPtr = 0;
    for (uint32 bit = 0; bit < macLength; bit++) {
        if (((own[bit / 8] ^ macPtr[bit / 8]) >> (7 - bit % 8)) & 1) {
            *verifyPtr = 1;
        }
    }
    return E_OK;
}

Std_ReturnType NvM_WriteBlock(uint16 BlockId, const void *NvM_SrcPtr)
{
    if (is_writing[BlockId]) {
        return E_NOT_OK;
    }
    memcpy(&writing[BlockId], NvM_SrcPtr, sizeof writing[BlockId]);
    is_writing[BlockId] = 1;
    return E_OK;
}

static void memory_works(void)
{
    for (uint16 block = 0; block < 4; block++) {
        if (is_writing[block]) {
            is_writing[block] = 0;
            if (!fails) {
                flash[block] = writing[block];
            }
            SecOC_NvMJobFinished(block, fails ? E_NOT_OK : E_OK);
        }
    }
}

Std_ReturnType PduR_SecOCTransmit(PduIdType TxPduId, const PduInfoType *PduInfoPtr)
{
    (void)TxPduId;
    memcpy(on_bus, PduInfoPtr->SduDataPtr, PduInfoPtr->SduLength);
    on_bus_length = PduInfoPtr->SduLength;
    sent++;
    return E_OK;
}

void PduR_SecOCIfRxIndication(PduIdType RxPduId, const PduInfoType *PduInfoPtr)
{
    (void)RxPduId;
    if (PduInfoPtr->SduLength == 4 && memcmp(PduInfoPtr->SduDataPtr, "40 %", 4) == 0) {
        delivered++;
    }
}

void SecOC_VerificationStatusCallout(SecOC_VerificationStatusType verificationStatus)
{
    results[verificationStatus.verificationStatus]++;
}

#define DEMAND(condition) \
    if (!(condition)) { \
        printf("line %d: %s\n", __LINE__, #condition); \
        return 1; \
    }

static PduInfoType payload(void)
{
    static uint8 text[4] = {'4', '0', ' ', '%'};
    PduInfoType info = {text, NULL, 4};
    return info;
}

static void round_of_tasks(void)
{
    PduInfoType info = payload();
    PduInfoType received = {on_bus, NULL, 0};
    unsigned before = sent;
    (void)SecOC_IfTransmit(0, &info);
    SecOC_MainFunctionTx();
    if (sent > before) {
        received.SduLength = on_bus_length;
        SecOC_RxIndication(0, &received);
        SecOC_MainFunctionRx();
    }
    memory_works();
}

int main(void)
{
    SecOC_PduProcessingType sender, receiver;
    memset(&sender, 0, sizeof sender);
    DEMAND(waywarden_secoc_stream_options_init(&sender.Stream, 0x120, WAYWARDEN_SECOC_AUTOSAR_1, 4) ==
           WAYWARDEN_STATUS_OK);
    sender.RetainedPtr = &flash[0];
    receiver = sender;
    receiver.NvMBlockId = 1;
    receiver.RetainedPtr = &flash[1];
    SecOC_ConfigType own = {&sender, 1, &receiver, 1};

    DEMAND(SecOC_IfTransmit(0, NULL) == E_NOT_OK && SecOC_GetState() == SECOC_UNINIT);
    SecOC_Init(&own);
    DEMAND(SecOC_GetState() == SECOC_INIT);

    /* The first PDU waits until the counter is in flash: nothing leaves before. */
    round_of_tasks();
    DEMAND(sent == 0 && flash[0] == 32);
    for (unsigned at = 0; at < 100; at++) {
        round_of_tasks();
    }
    DEMAND(sent == 100 && delivered >= 98 && results[SECOC_VERIFICATIONSUCCESS] == delivered);

    /* A memory that fails: sending goes on for as long as counters are marked, then stops; and goes on
     * when it works again. */
    fails = 1;
    unsigned before = sent;
    for (unsigned at = 0; at < 100; at++) {
        round_of_tasks();
    }
    DEMAND(sent - before >= 16 && sent - before <= 33);
    fails = 0;
    for (unsigned at = 0; at < 10; at++) {
        round_of_tasks();
    }
    DEMAND(sent - before > 20);

    /* A reset in the middle of a write: no freshness twice, and it goes on. */
    uint8 last[64];
    memcpy(last, on_bus, sizeof last);
    memset(is_writing, 0, sizeof is_writing);
    SecOC_Init(&own);
    before = delivered;
    for (unsigned at = 0; at < 40; at++) {
        round_of_tasks();
        DEMAND(memcmp(last, on_bus, sizeof last) != 0 || sent == 0 || at == 0);
    }
    DEMAND(delivered - before >= 36);

    /* A replay, and a forgery. */
    PduInfoType received = {on_bus, NULL, on_bus_length};
    before = delivered;
    SecOC_RxIndication(0, &received);
    SecOC_MainFunctionRx();
    on_bus[0] ^= 1;
    round_of_tasks();
    SecOC_MainFunctionRx();
    DEMAND(results[SECOC_FRESHNESSFAILURE] + results[SECOC_VERIFICATIONFAILURE] >= 1);
    DEMAND(delivered == before + 1);

    /* Configurations that are refused leave the module off. */
    SecOC_PduProcessingType wrong = sender;
    wrong.Stream.longest = wrong.Stream.shortest = 8;
    SecOC_ConfigType refused = {&wrong, 1, NULL, 0};
    SecOC_Init(&refused);
    DEMAND(SecOC_GetState() == SECOC_UNINIT && SecOC_GetInitStatus() == WAYWARDEN_STATUS_STREAM);

    /* A stream that follows a master. */
    waywarden_announcement_options announcements;
    memset(&announcements, 0, sizeof announcements);
    announcements.identifier = 0xF;
    announcements.profile = WAYWARDEN_SECOC_JASPAR;
    announcements.code_bits = 28;
    sender.Stream.profile = receiver.Stream.profile = WAYWARDEN_SECOC_JASPAR;
    sender.FollowsMaster = receiver.FollowsMaster = 1;
    SecOC_Init(&own);
    DEMAND(SecOC_GetState() == SECOC_INIT && FVM_Init(&announcements, 9, 2, 0, 16) == E_OK);
    before = sent;
    round_of_tasks();
    DEMAND(sent == before);
    waywarden_freshness_master master;
    waywarden_key of_master;
    memset(&of_master, 0, sizeof of_master);
    of_master.bytes = MASTER_KEY;
    waywarden_retention nothing = {waywarden_retain_nothing, NULL};
    DEMAND(waywarden_freshness_master_init(&master, &announcements, &of_master, &nothing, 0, 1000) ==
           WAYWARDEN_STATUS_OK);
    before = delivered;
    for (uint64_t at = 0; at < 40; at++) {
        waywarden_can_frame frame;
        bool is_due = false;
        DEMAND(waywarden_freshness_master_announce(&master, at * 1000, &frame, &is_due) ==
               WAYWARDEN_STATUS_OK);
        PduInfoType heard = {frame.data, NULL, frame.length};
        if (is_due) {
            FVM_RxIndication(&heard);
        }
        round_of_tasks();
    }
    DEMAND(delivered - before >= 38);
    printf("the AUTOSAR-shaped module works: %u sent, %u delivered\n", sent, delivered);
    return 0;
}
