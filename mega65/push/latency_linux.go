package push

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// favourLatency asks a USB adapter's driver to pass on short replies at once;
// an FTDI chip otherwise waits 16 ms for more. A driver that cannot, or a user
// who may not, costs speed only, so that nothing is reported.
func favourLatency(name string) {
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	// The kernel's struct serial_struct, of which flags is the fifth word.
	var s [32]uint32
	const flags, lowLatency = 4, 1 << 13
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGSERIAL, uintptr(unsafe.Pointer(&s))); e != 0 {
		return
	}
	s[flags] |= lowLatency
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSSERIAL, uintptr(unsafe.Pointer(&s)))
}
