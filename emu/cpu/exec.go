package cpu

func (c *CPU) exec() {}

func (c *CPU) push(v byte) {}

func (c *CPU) pushWord(v uint16) {}
