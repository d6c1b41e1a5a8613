package main

// readme is for people who want to chat and nothing else.
const readme = `A language model on the MEGA65
==============================

You only want to chat? One file is enough: ssnail.d81. The programs beside it
are for making disks from other models, and for trying them on a PC.

You need a MEGA65, best with a core that has the accelerator SSNAIL. Without it
the program says so and offers a core in software: the same story, a few words a
second.

1. Copy ssnail.d81 to the top of the MEGA65's SD card.

2. Switch the MEGA65 on and type, each line with RETURN:

     MOUNT "SSNAIL.D81"
     BOOT

3. The model is loaded: that takes a few seconds. Then type the beginning of a
   story, such as

     Once upon a time

   and press RETURN. The model goes on with it. RETURN alone lets it go on,
   RUN/STOP stops it, /help shows the commands, /quit ends.

It is a very small model that tells stories for children. It continues what you
type; it is no assistant and answers no questions.

If MOUNT refuses the disk although it is there: the card has the file in pieces,
and the MEGA65 wants it in one. Delete it from the card and copy it again.

Without a MEGA65
----------------

Take the program for your system and type in a terminal:

     ssnail-kit-linux-amd64 demo

That is an emulated MEGA65 with the same disk. On Linux and macOS the file must
be made executable first (chmod +x ssnail-kit-...); macOS may also ask you to
allow it in its settings, since it is not signed. "ssnail-kit-... --help" lists
what else it does: other models, disks, SD cards.

SHA256SUMS has the checksums of all files: sha256sum -c SHA256SUMS
`
