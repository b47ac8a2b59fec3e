/* SecOC as an AUTOSAR basic software module over libwaywarden, in the names that an integrator knows.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Below it are the PDU router (PduR_SecOCTransmit, PduR_SecOCIfRxIndication), the crypto service manager
 * (Csm_MacGenerate, Csm_MacVerify) and the memory manager (NvM_WriteBlock). The freshness value manager is in
 * the library: streams that count for themselves, and the two call-backs FVM_... for a freshness master's
 * announcements. PDUs are handed on from the main functions, never from an indication.
 *
 * With SECOC_AUTOSAR_TYPES defined, types come from the stack's ComStack_Types.h; else from here.
 *
 * Not the whole of the standard's module: PDUs are those of the interface type (no transport protocol), a
 * secured PDU is one frame of CAN, and keys are changed by the crypto service manager alone.
 */
#ifndef SECOC_H
#define SECOC_H

#include <waywarden.h>

#ifdef SECOC_AUTOSAR_TYPES
#include "ComStack_Types.h"
#else
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef uint8 Std_ReturnType;
#define E_OK ((Std_ReturnType)0)
#define E_NOT_OK ((Std_ReturnType)1)
typedef uint16 PduIdType;
typedef uint32 PduLengthType;
typedef struct {
    uint8 *SduDataPtr;
    uint8 *MetaDataPtr;
    PduLengthType SduLength;
} PduInfoType;
#endif

/* Results of a verification, as the standard numbers them. */
typedef enum {
    SECOC_VERIFICATIONSUCCESS = 0,
    SECOC_VERIFICATIONFAILURE = 1,
    SECOC_FRESHNESSFAILURE = 2,
    SECOC_AUTHENTICATIONBUILDFAILURE = 3
} SecOC_VerificationResultType;

typedef struct {
    uint16 freshnessValueID;
    SecOC_VerificationResultType verificationStatus;
    uint16 secOCDataId;
} SecOC_VerificationStatusType;

/* One direction of a stream. */
typedef struct {
    waywarden_secoc_stream_options Stream;
    /* Of the authentic PDU, above. */
    PduIdType AuthenticPduId;
    /* Of the secured PDU, below. */
    PduIdType SecuredPduId;
    uint16 SecOCFreshnessValueId;
    uint16 SecOCDataId;
    /* Job of the crypto service manager: MacGenerate of a sender, MacVerify of a receiver. */
    uint32 CsmJobId;
    /* Block of the memory manager for the counter: 8 bytes in RAM, which are here. */
    uint16 NvMBlockId;
    /* The value that the block had at the start; 0 if it was never written under this key. */
    const uint64_t *RetainedPtr;
    /* Not 0: freshness comes from the follower of FVM_Init. */
    uint8 FollowsMaster;
} SecOC_PduProcessingType;

#ifndef SECOC_TX_MAX
#define SECOC_TX_MAX 16
#endif
#ifndef SECOC_RX_MAX
#define SECOC_RX_MAX 16
#endif

typedef struct {
    const SecOC_PduProcessingType *TxPduProcessing;
    uint16 TxCount; /* at most SECOC_TX_MAX */
    const SecOC_PduProcessingType *RxPduProcessing;
    uint16 RxCount; /* at most SECOC_RX_MAX */
} SecOC_ConfigType;

/* The module. SecOC_Init reports by SecOC_GetState what it refused: nothing is sent or taken then. */
typedef enum { SECOC_UNINIT = 0, SECOC_INIT = 1 } SecOC_StateType;
void SecOC_Init(const SecOC_ConfigType *ConfigPtr);
void SecOC_DeInit(void);
SecOC_StateType SecOC_GetState(void);
/* The library's answer to the configuration that SecOC_Init refused. */
waywarden_status SecOC_GetInitStatus(void);
Std_ReturnType SecOC_IfTransmit(PduIdType TxPduId, const PduInfoType *PduInfoPtr);
void SecOC_RxIndication(PduIdType RxPduId, const PduInfoType *PduInfoPtr);
void SecOC_MainFunctionTx(void);
void SecOC_MainFunctionRx(void);
/* The memory manager's end of a block: Result is E_OK if it was written. */
void SecOC_NvMJobFinished(uint16 BlockId, Std_ReturnType Result);

/* Freshness of a master's announcements. The announcements come as they are on the bus. */
Std_ReturnType FVM_Init(const waywarden_announcement_options *Announcements, uint32 CsmJobId,
                        uint16 NvMBlockId, uint64_t Retained, uint32 ResetsAhead);
void FVM_RxIndication(const PduInfoType *PduInfoPtr);

/* What the stack gives. */
extern Std_ReturnType PduR_SecOCTransmit(PduIdType TxPduId, const PduInfoType *PduInfoPtr);
extern void PduR_SecOCIfRxIndication(PduIdType RxPduId, const PduInfoType *PduInfoPtr);
extern void SecOC_VerificationStatusCallout(SecOC_VerificationStatusType verificationStatus);
/* Mode is CRYPTO_OPERATIONMODE_SINGLECALL (7). The length of a code to verify is in bits. */
extern Std_ReturnType Csm_MacGenerate(uint32 jobId, uint8 mode, const uint8 *dataPtr,
                                      uint32 dataLength, uint8 *macPtr, uint32 *macLengthPtr);
/* *verifyPtr: 0 is CRYPTO_E_VER_OK. */
extern Std_ReturnType Csm_MacVerify(uint32 jobId, uint8 mode, const uint8 *dataPtr,
                                    uint32 dataLength, const uint8 *macPtr, uint32 macLength,
                                    uint8 *verifyPtr);
extern Std_ReturnType NvM_WriteBlock(uint16 BlockId, const void *NvM_SrcPtr);

#endif /* SECOC_H */
