//! A message matrix.

/// A DBC file: 11 and 29 bits, classic and CAN FD, a message with two senders, one longer than a
/// frame, a comment of several lines, and times of only one message.
pub const DBC: &str = r#"VERSION ""

NS_ :

BS_:

BU_: engine gearbox cluster

BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX
 SG_ orphan : 0|8@1+ (1,0) [0|0] "" Vector__XXX

BO_ 416 Speed: 8 engine
 SG_ rpm : 0|16@1+ (0.25,0) [0|16383] "1/min" gearbox,cluster
 SG_ load : 16|8@1+ (0.5,0) [0|100] "%" gearbox

BO_ 2566844926 Diagnosis: 8 Vector__XXX
 SG_ service : 0|8@1+ (1,0) [0|255] "" engine

BO_ 417 Camera: 24 gearbox
 SG_ distance : 0|16@1+ (1,0) [0|0] "m" Vector__XXX

BO_ 418 Odd: 10 gearbox
 SG_ value : 0|16@1+ (1,0) [0|0] "" engine

BO_ 2566844672 Transfer: 200 engine
 SG_ part : 0|16@1+ (1,0) [0|0] "" cluster

BO_TX_BU_ 416 : engine,gearbox;

CM_ BO_ 416 "A comment that begins a line with
BO_ 5000 not a message
and ends \" here.";
BA_DEF_ BO_  "GenMsgCycleTime" INT 0 100000;
BA_DEF_ BO_  "VFrameFormat" ENUM  "StandardCAN","ExtendedCAN","StandardCAN_FD";
BA_DEF_DEF_  "GenMsgCycleTime" 0;
BA_DEF_DEF_  "VFrameFormat" "StandardCAN";
BA_ "GenMsgCycleTime" BO_ 416 10;
BA_ "VFrameFormat" BO_ 418 2;
"#;
