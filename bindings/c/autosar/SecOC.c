/* SecOC over libwaywarden: see SecOC.h. One context calls it: all functions from one task, or under one
 * exclusive area. */
#include "SecOC.h"

#include <string.h>

#define SINGLE_CALL 7U

/* A call-back's context: which job and block. */
typedef struct {
    uint32 job;
    uint16 block;
    uint64_t value;
} Context;

typedef struct {
    waywarden_secoc_sender sender;
    Context context;
    uint8 payload[64];
    PduLengthType length;
    uint8 is_pending;
} Tx;

typedef struct {
    waywarden_secoc_receiver receiver;
    Context context;
    waywarden_can_frame frame;
    uint8 is_pending;
} Rx;

static Tx tx[SECOC_TX_MAX];
static Rx rx[SECOC_RX_MAX];
static const SecOC_ConfigType *config;
static waywarden_status init_status;
static waywarden_freshness_follower follower;
static waywarden_freshness_state freshness;
static waywarden_can_frame announcement;
static Context follower_context;
static uint8 has_follower;

static int32_t generate(void *context, const uint8_t *message, size_t length, uint8_t *code)
{
    uint32 written = 16;
    const Context *own = context;
    return Csm_MacGenerate(own->job, SINGLE_CALL, message, (uint32)length, code, &written) == E_OK &&
                   written == 16
               ? 0
               : -1;
}

static int32_t verify(void *context, const uint8_t *message, size_t length, const uint8_t *code,
                      size_t bits)
{
    uint8 result = 1;
    const Context *own = context;
    if (Csm_MacVerify(own->job, SINGLE_CALL, message, (uint32)length, code, (uint32)bits,
                      &result) != E_OK) {
        return -1;
    }
    return result == 0 ? 0 : 1;
}

/* The memory manager takes the block and writes it later. */
static int32_t retain(void *context, uint64_t value)
{
    Context *own = context;
    own->value = value;
    return NvM_WriteBlock(own->block, &own->value) == E_OK ? WAYWARDEN_LATER : -1;
}

static Context context_of(const SecOC_PduProcessingType *own)
{
    Context context = {own->CsmJobId, own->NvMBlockId, 0};
    return context;
}

static waywarden_key key_of(Context *context, uint8 checks)
{
    waywarden_key key;
    memset(&key, 0, sizeof key);
    if (checks) {
        key.check = verify;
    } else {
        key.compute = generate;
    }
    key.context = context;
    return key;
}

static waywarden_status init_tx(Tx *own, const SecOC_PduProcessingType *processing)
{
    own->context = context_of(processing);
    waywarden_key key = key_of(&own->context, 0);
    waywarden_retention retention = {retain, &own->context};
    uint64_t retained = processing->RetainedPtr != NULL ? *processing->RetainedPtr : 0;
    return waywarden_secoc_sender_init(&own->sender, &processing->Stream, &key, &retention, retained);
}

static waywarden_status init_rx(Rx *own, const SecOC_PduProcessingType *processing)
{
    own->context = context_of(processing);
    waywarden_key key = key_of(&own->context, 1);
    waywarden_retention retention = {retain, &own->context};
    uint64_t retained = processing->RetainedPtr != NULL ? *processing->RetainedPtr : 0;
    return waywarden_secoc_receiver_init(&own->receiver, &processing->Stream, &key, &retention,
                                         retained);
}

void SecOC_Init(const SecOC_ConfigType *ConfigPtr)
{
    SecOC_DeInit();
    if (ConfigPtr == NULL || ConfigPtr->TxCount > SECOC_TX_MAX || ConfigPtr->RxCount > SECOC_RX_MAX) {
        init_status = WAYWARDEN_STATUS_ARGUMENT;
        return;
    }
    init_status = WAYWARDEN_STATUS_OK;
    for (uint16 at = 0; at < ConfigPtr->TxCount && init_status == WAYWARDEN_STATUS_OK; at++) {
        init_status = init_tx(&tx[at], &ConfigPtr->TxPduProcessing[at]);
    }
    for (uint16 at = 0; at < ConfigPtr->RxCount && init_status == WAYWARDEN_STATUS_OK; at++) {
        init_status = init_rx(&rx[at], &ConfigPtr->RxPduProcessing[at]);
    }
    if (init_status == WAYWARDEN_STATUS_OK) {
        config = ConfigPtr;
    }
}

void SecOC_DeInit(void)
{
    for (unsigned at = 0; at < SECOC_TX_MAX; at++) {
        (void)waywarden_secoc_sender_clear(&tx[at].sender);
        tx[at].is_pending = 0;
    }
    for (unsigned at = 0; at < SECOC_RX_MAX; at++) {
        (void)waywarden_secoc_receiver_clear(&rx[at].receiver);
        rx[at].is_pending = 0;
    }
    config = NULL;
}

SecOC_StateType SecOC_GetState(void) { return config != NULL ? SECOC_INIT : SECOC_UNINIT; }

waywarden_status SecOC_GetInitStatus(void) { return init_status; }

/* A PDU that is not sent yet is replaced by the newer one. */
Std_ReturnType SecOC_IfTransmit(PduIdType TxPduId, const PduInfoType *PduInfoPtr)
{
    if (config == NULL || TxPduId >= config->TxCount || PduInfoPtr == NULL ||
        PduInfoPtr->SduLength > sizeof tx[0].payload ||
        (PduInfoPtr->SduDataPtr == NULL && PduInfoPtr->SduLength > 0)) {
        return E_NOT_OK;
    }
    Tx *own = &tx[TxPduId];
    if (PduInfoPtr->SduLength > 0) {
        memcpy(own->payload, PduInfoPtr->SduDataPtr, PduInfoPtr->SduLength);
    }
    own->length = PduInfoPtr->SduLength;
    own->is_pending = 1;
    return E_OK;
}

void SecOC_RxIndication(PduIdType RxPduId, const PduInfoType *PduInfoPtr)
{
    if (config == NULL || RxPduId >= config->RxCount || PduInfoPtr == NULL ||
        PduInfoPtr->SduDataPtr == NULL || PduInfoPtr->SduLength > sizeof rx[0].frame.data) {
        return;
    }
    Rx *own = &rx[RxPduId];
    const waywarden_secoc_stream_options *stream = &config->RxPduProcessing[RxPduId].Stream;
    memset(&own->frame, 0, sizeof own->frame);
    own->frame.identifier = stream->identifier;
    own->frame.flags = stream->flags & (WAYWARDEN_EXTENDED | WAYWARDEN_FD);
    own->frame.length = (uint8)PduInfoPtr->SduLength;
    memcpy(own->frame.data, PduInfoPtr->SduDataPtr, PduInfoPtr->SduLength);
    own->is_pending = 1;
}

static const waywarden_freshness_state *freshness_of(const SecOC_PduProcessingType *processing)
{
    return processing->FollowsMaster ? &freshness : NULL;
}

/* One that cannot be protected yet is tried again, until a newer one replaces it. */
void SecOC_MainFunctionTx(void)
{
    for (uint16 at = 0; config != NULL && at < config->TxCount; at++) {
        const SecOC_PduProcessingType *processing = &config->TxPduProcessing[at];
        waywarden_can_frame frame;
        if (!tx[at].is_pending) {
            continue;
        }
        waywarden_status status =
            waywarden_secoc_sender_protect(&tx[at].sender, tx[at].payload, tx[at].length,
                                           freshness_of(processing), &frame);
        if (status == WAYWARDEN_STATUS_OK) {
            PduInfoType info = {frame.data, NULL, frame.length};
            tx[at].is_pending = 0;
            (void)PduR_SecOCTransmit(processing->SecuredPduId, &info);
        } else if (status == WAYWARDEN_STATUS_LENGTH || status == WAYWARDEN_STATUS_EXHAUSTED) {
            tx[at].is_pending = 0; /* no later call would do better */
        }
    }
}

static SecOC_VerificationResultType result_of(waywarden_status status,
                                              const waywarden_outcome *outcome)
{
    if (status != WAYWARDEN_STATUS_OK) {
        return SECOC_AUTHENTICATIONBUILDFAILURE;
    }
    switch (outcome->kind) {
    case WAYWARDEN_OUTCOME_KIND_AUTHENTIC:
        return SECOC_VERIFICATIONSUCCESS;
    case WAYWARDEN_OUTCOME_KIND_REPLAY:
    case WAYWARDEN_OUTCOME_KIND_OUT_OF_STEP:
        return SECOC_FRESHNESSFAILURE;
    default:
        return SECOC_VERIFICATIONFAILURE;
    }
}

void SecOC_MainFunctionRx(void)
{
    for (uint16 at = 0; config != NULL && at < config->RxCount; at++) {
        const SecOC_PduProcessingType *processing = &config->RxPduProcessing[at];
        waywarden_outcome outcome;
        if (!rx[at].is_pending) {
            continue;
        }
        rx[at].is_pending = 0;
        waywarden_status status = waywarden_secoc_receiver_accept(
            &rx[at].receiver, &rx[at].frame, freshness_of(processing), &outcome);
        SecOC_VerificationStatusType verification = {processing->SecOCFreshnessValueId,
                                                     result_of(status, &outcome),
                                                     processing->SecOCDataId};
        SecOC_VerificationStatusCallout(verification);
        if (verification.verificationStatus == SECOC_VERIFICATIONSUCCESS) {
            PduInfoType info = {outcome.payload, NULL, outcome.length};
            PduR_SecOCIfRxIndication(processing->AuthenticPduId, &info);
        }
    }
}

void SecOC_NvMJobFinished(uint16 BlockId, Std_ReturnType Result)
{
    for (unsigned at = 0; config != NULL && at < config->TxCount; at++) {
        Context *own = &tx[at].context;
        if (own->block == BlockId) {
            (void)waywarden_secoc_sender_retained(&tx[at].sender, Result == E_OK ? own->value : 0);
        }
    }
    for (unsigned at = 0; config != NULL && at < config->RxCount; at++) {
        Context *own = &rx[at].context;
        if (own->block == BlockId) {
            (void)waywarden_secoc_receiver_retained(&rx[at].receiver,
                                                    Result == E_OK ? own->value : 0);
        }
    }
    if (has_follower && follower_context.block == BlockId) {
        (void)waywarden_freshness_follower_retained(&follower,
                                                    Result == E_OK ? follower_context.value : 0);
        (void)waywarden_freshness_follower_state(&follower, &freshness);
    }
}

Std_ReturnType FVM_Init(const waywarden_announcement_options *Announcements, uint32 CsmJobId,
                        uint16 NvMBlockId, uint64_t Retained, uint32 ResetsAhead)
{
    if (Announcements == NULL) {
        return E_NOT_OK;
    }
    follower_context.job = CsmJobId;
    follower_context.block = NvMBlockId;
    waywarden_key key = key_of(&follower_context, 1);
    waywarden_retention retention = {retain, &follower_context};
    memset(&announcement, 0, sizeof announcement);
    announcement.identifier = Announcements->identifier;
    announcement.flags = Announcements->flags;
    has_follower = waywarden_freshness_follower_init(&follower, Announcements, &key, &retention,
                                                     Retained, ResetsAhead) ==
                       WAYWARDEN_STATUS_OK &&
                   waywarden_freshness_follower_state(&follower, &freshness) == WAYWARDEN_STATUS_OK;
    return has_follower ? E_OK : E_NOT_OK;
}

void FVM_RxIndication(const PduInfoType *PduInfoPtr)
{
    waywarden_outcome outcome;
    if (!has_follower || PduInfoPtr == NULL || PduInfoPtr->SduDataPtr == NULL ||
        PduInfoPtr->SduLength > sizeof announcement.data) {
        return;
    }
    memset(announcement.data, 0, sizeof announcement.data);
    memcpy(announcement.data, PduInfoPtr->SduDataPtr, PduInfoPtr->SduLength);
    announcement.length = (uint8)PduInfoPtr->SduLength;
    (void)waywarden_freshness_follower_accept(&follower, &announcement, &outcome);
    (void)waywarden_freshness_follower_state(&follower, &freshness);
}
